# Asks for one refund: a single entry in a Redis stream. Needs the gem redis (Debian: ruby-redis).
require "json"
require "redis"

# The id comes from your own books, so a second run of this program, or a crash in its middle, is the same job again.
job = {
  id: "case-4711-ruby",
  operation: "refund",
  transactionId: "2000000123456703",
  request: {
    items: [
      {
        SKU: "audiobook.4711",
        refundReason: "FULFILLMENT_ISSUE",
        refundType: "CUSTOM",
        refundAmount: 4990, # milliunits: 4.99 EUR. From a text: (BigDecimal("4.99") * 1000).to_i
        revoke: true
      }
    ],
    refundRiskingPreference: false,
    currency: "EUR",
    storefront: "DEU"
  },
  amountIncludesTax: true,
  requestedBy: "support-desk"
}

# The client must not repeat by itself what we repeat below, with pauses.
client = Redis.new(url: ENV.fetch("REDIS_URL", "redis://127.0.0.1:6379/0"), timeout: 5, reconnect_attempts: 0)
lane = "kulanz:{audiobooks}:jobs:normal" # the braces belong to the name
text = JSON.generate(job)
raise "a job is at most 64 KiB" if text.bytesize > 65_536

# No answer: nobody knows whether the entry is there. Adding the same bytes again is safe: same id, same job.
waits = [1, 2, 4, 8]
begin
  entry = client.xadd(lane, { job: text })
rescue Redis::BaseConnectionError
  raise if waits.empty?

  sleep waits.shift
  retry
end
puts "#{job[:id]} is in #{lane} as #{entry}"
