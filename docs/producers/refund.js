// Asks for one refund: a single entry in a Redis stream. Needs node-redis 4 or later (npm: redis, Debian: node-redis).
const { createClient } = require("redis");
const { setTimeout: sleep } = require("timers/promises");

// The id comes from your own books, so a second run of this program, or a crash in its middle, is the same job again.
const job = {
  id: "case-4711-node",
  operation: "refund",
  // A string: JavaScript's numbers would spoil its last digits.
  transactionId: "2000000123456702",
  request: {
    items: [
      {
        SKU: "audiobook.4711",
        refundReason: "FULFILLMENT_ISSUE",
        refundType: "CUSTOM",
        refundAmount: 4990, // milliunits: 4.99 EUR. Never 4.99 * 1000, which is no integer here.
        revoke: true,
      },
    ],
    refundRiskingPreference: false,
    currency: "EUR",
    storefront: "DEU",
  },
  amountIncludesTax: true,
  requestedBy: "support-desk",
};

async function main() {
  const client = createClient({ url: process.env.REDIS_URL || "redis://127.0.0.1:6379/0" });
  client.on("error", (error) => console.error(String(error)));
  await client.connect();
  const lane = "kulanz:{audiobooks}:jobs:normal"; // the braces belong to the name
  const text = JSON.stringify(job);
  if (Buffer.byteLength(text) > 65536) throw new Error("a job is at most 64 KiB");

  // No answer: nobody knows whether the entry is there. Adding the same bytes again is safe: same id, same job.
  for (const wait of [1000, 2000, 4000, 8000, null]) {
    try {
      const silence = sleep(5000, null, { ref: false }).then(() => Promise.reject(new Error("no answer within 5 s")));
      const entry = await Promise.race([client.xAdd(lane, "*", { job: text }), silence]);
      console.log(`${job.id} is in ${lane} as ${entry}`);
      break;
    } catch (error) {
      if (wait === null) throw error;
      await sleep(wait);
    }
  }
  await client.quit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
