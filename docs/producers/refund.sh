#!/bin/sh
# Asks for one refund: a single entry in a Redis stream. Needs redis-cli.
set -eu

# The id comes from your own books, so a second run of this program, or a crash in its middle, is the same job again.
# refundAmount is in milliunits: 4990 is 4.99 EUR.
job='{
  "id": "case-4711-shell",
  "operation": "refund",
  "transactionId": "2000000123456705",
  "request": {
    "items": [
      { "SKU": "audiobook.4711", "refundReason": "FULFILLMENT_ISSUE", "refundType": "CUSTOM", "refundAmount": 4990,
        "revoke": true }
    ],
    "refundRiskingPreference": false,
    "currency": "EUR",
    "storefront": "DEU"
  },
  "amountIncludesTax": true,
  "requestedBy": "support-desk"
}'

# The braces belong to the name; single quotes keep the shell away from them.
lane='kulanz:{audiobooks}:jobs:normal'

# No answer: nobody knows whether the entry is there. Adding the same bytes again is safe: same id, same job.
for wait in 1 2 4 8 0; do
    # -e: an error of Redis is one here, too.
    if entry=$(redis-cli -e -u "${REDIS_URL:-redis://127.0.0.1:6379/0}" XADD "$lane" '*' job "$job"); then
        echo "case-4711-shell is in $lane as $entry"
        exit 0
    fi
    sleep "$wait"
done
exit 1
