"""Asks for one refund: a single entry in a Redis stream. Needs redis-py (Debian: python3-redis)."""
import json
import os
import time

import redis

# The id comes from your own books, so a second run of this program, or a crash in its middle, is the same job again.
job = {
    "id": "case-4711-python",
    "operation": "refund",
    "transactionId": "2000000123456701",
    "request": {
        "items": [
            {
                "SKU": "audiobook.4711",
                "refundReason": "FULFILLMENT_ISSUE",
                "refundType": "CUSTOM",
                "refundAmount": 4990,  # milliunits: 4.99 EUR. An integer, never 4.99 * 1000 in floating point.
                "revoke": True,
            }
        ],
        "refundRiskingPreference": False,
        "currency": "EUR",
        "storefront": "DEU",
    },
    "amountIncludesTax": True,
    "requestedBy": "support-desk",
}

client = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0"), socket_timeout=5)
lane = "kulanz:{audiobooks}:jobs:normal"  # the braces belong to the name
text = json.dumps(job)
assert len(text.encode()) <= 65536, "a job is at most 64 KiB"

# No answer: nobody knows whether the entry is there. Adding the same bytes again is safe: same id, same job.
for wait in (1, 2, 4, 8, None):
    try:
        entry = client.xadd(lane, {"job": text})
        break
    except (redis.ConnectionError, redis.TimeoutError):
        if wait is None:
            raise
        time.sleep(wait)
print(f"{job['id']} is in {lane} as {entry.decode()}")
