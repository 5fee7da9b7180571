// Asks for one refund: a single entry in a Redis stream. Needs github.com/redis/go-redis/v9.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

// The id comes from your own books, so a second run of this program, or a crash in its middle, is the same job again.
const id = "case-4711-go"

// Written as JSON here to be read; from a struct, RefundAmount is an int64 in milliunits, never a float64.
const job = `{
  "id": "case-4711-go",
  "operation": "refund",
  "transactionId": "2000000123456704",
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
}`

func main() {
	url := os.Getenv("REDIS_URL")
	if url == "" {
		url = "redis://127.0.0.1:6379/0"
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		log.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	if !json.Valid([]byte(job)) || len(job) > 65536 {
		log.Fatal("a job is a JSON object of at most 64 KiB")
	}
	lane := "kulanz:{audiobooks}:jobs:normal" // the braces belong to the name

	// No answer: nobody knows whether the entry is there. Adding the same bytes again is safe: same id, same job.
	for attempt := 0; ; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		entry, err := client.XAdd(ctx, &redis.XAddArgs{Stream: lane, Values: []any{"job", job}}).Result()
		cancel()
		var refused redis.Error
		if err == nil {
			fmt.Printf("%s is in %s as %s\n", id, lane, entry)
			return
		}
		// What Redis itself refuses (NOPERM, OOM) is not helped by a repeat at once.
		if errors.As(err, &refused) || attempt == 4 {
			log.Fatal(err)
		}
		time.Sleep(time.Second << attempt)
	}
}
