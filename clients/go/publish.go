package flowhooks

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Event is a flow event to publish.
type Event struct {
	// ID identifies the event in its organisation: publishing it again has no effect. A UUID if it is empty.
	ID string `json:"id"`
	// OrgID may be empty if the key is for one organisation.
	OrgID string `json:"orgId,omitempty"`
	// Type has 1 to 128 letters, digits or . _ : / -
	Type string `json:"type"`
	// FlowID keeps the order of events that have the same; the ID if it is empty.
	FlowID string `json:"flowId,omitempty"`
	// OccurredAt is the time of what happened, if the producer knows it.
	OccurredAt time.Time `json:"occurredAt,omitzero"`
	// Data is any value that encoding/json can write.
	Data any `json:"data"`
}

// Status of an event in a Result.
const (
	// StatusAccepted: it is recorded, now or earlier under the same ID.
	StatusAccepted = "accepted"
	// StatusRejected: it is refused for good.
	StatusRejected = "rejected"
	// StatusUnknown, in an Error only: it may be recorded.
	StatusUnknown = "unknown"
	// StatusNotRecorded, in an Error only: its request was refused, or not sent.
	StatusNotRecorded = "not_recorded"
)

// Result of one event.
type Result struct {
	Status string `json:"status"`
	ID     string `json:"id"`
	// Error and Message of an event that is rejected.
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	// Warning says how the data does not match the declared event type, if the organisation warns of that.
	Warning string `json:"warning,omitempty"`
}

// Requests stay below the limits of the service: 1,000 events and 4 MiB.
const (
	maxEvents = 1_000
	maxBytes  = 4_000_000
)

type prepared struct {
	id   string
	json []byte
}

func prepare(event Event, name string) (prepared, error) {
	if event.ID == "" {
		event.ID = newUUID()
	}
	content, err := json.Marshal(event)
	if err != nil {
		return prepared{}, &Error{Code: "invalid_event", Message: name + " cannot be written as JSON: " + err.Error(), cause: err}
	}
	return prepared{event.ID, content}, nil
}

// Publish publishes a flow event, which is durable when it returns. All attempts have the same ID, so the event is recorded once.
func (c *Client) Publish(ctx context.Context, event Event) (*Result, error) {
	one, err := prepare(event, "the event")
	if err != nil {
		return nil, err
	}
	found, err := c.send(ctx, publishing("/api/flows", one.json))
	if err == nil {
		_, err = decode[Result](found, "id")
	}
	if err != nil {
		return nil, withResults(err, one)
	}
	return &Result{Status: StatusAccepted, ID: one.id, Warning: found.header.Get("Flow-Hooks-Warning")}, nil
}

// PublishBatch publishes any number of flow events, in requests of at most 1,000 events and 4 MB, one after the other. Returns a result for
// each event, in order; a rejected one is refused for good. Nothing is sent if an event is larger than a request may be.
func (c *Client) PublishBatch(ctx context.Context, events []Event) ([]Result, error) {
	all := make([]prepared, len(events))
	for index, event := range events {
		name := fmt.Sprintf("the event at index %d", index)
		one, err := prepare(event, name)
		if err != nil {
			return nil, err
		}
		if len(one.json) > maxBytes-2 {
			return nil, &Error{Code: "payload_too_large", Message: fmt.Sprintf("%s has %d bytes as JSON, more than a batch may have", name, len(one.json))}
		}
		all[index] = one
	}
	results := make([]Result, 0, len(events))
	for rest := all; len(rest) > 0; {
		batch := rest[:fitting(rest)]
		var err error
		if results, err = c.publishBatch(ctx, batch, results); err != nil {
			var failure *Error
			if errors.As(err, &failure) {
				known := append(results, failure.Results...)
				failure.Results = append(known, unresolved(StatusNotRecorded, all[len(known):]...)...)
			}
			return nil, err
		}
		rest = rest[len(batch):]
	}
	return results, nil
}

// The number of the first events that fit in one request.
func fitting(events []prepared) int {
	bytes := len("[]")
	for count, event := range events {
		bytes += len(event.json)
		if count == maxEvents || bytes > maxBytes {
			return count
		}
		bytes += len(",")
	}
	return len(events)
}

// Appends the results of a batch; in halves if it is too large for a proxy, or for the limit of an organisation.
func (c *Client) publishBatch(ctx context.Context, batch []prepared, results []Result) ([]Result, error) {
	texts := make([][]byte, len(batch))
	for index, event := range batch {
		texts[index] = event.json
	}
	body := append(append([]byte("["), bytes.Join(texts, []byte(","))...), ']')
	answered, err := c.sendBatch(ctx, body, len(batch))
	var failure *Error
	switch {
	case err == nil:
		for index, result := range answered {
			result.ID = batch[index].id
			results = append(results, result)
		}
		return results, nil
	case !errors.As(err, &failure) || failure.Status != 413:
		return results, withResults(err, batch...)
	case len(batch) == 1:
		return append(results, Result{Status: StatusRejected, ID: batch[0].id, Error: failure.Code, Message: failure.Message}), nil
	}
	middle := (len(batch) + 1) / 2
	if results, err = c.publishBatch(ctx, batch[:middle], results); err != nil {
		return results, err
	}
	return c.publishBatch(ctx, batch[middle:], results)
}

func (c *Client) sendBatch(ctx context.Context, body []byte, count int) ([]Result, error) {
	found, err := c.send(ctx, publishing("/api/flows/batch", body))
	if err != nil {
		return nil, err
	}
	type published struct{ Results []Result }
	batch, err := decode[published](found, "results")
	if err != nil {
		return nil, err
	}
	complete := len(batch.Results) == count
	for _, result := range batch.Results {
		complete = complete && result.Status != ""
	}
	if !complete {
		return nil, &Error{Code: "unexpected_answer", Message: "the answer has not one result for each event", Status: found.status}
	}
	return batch.Results, nil
}

func publishing(path string, body []byte) request {
	return request{method: "POST", path: path, body: body, contentType: "application/json", repeatable: true}
}

// The same error with the results of the events that its request has.
func withResults(err error, events ...prepared) error {
	var failure *Error
	if errors.As(err, &failure) {
		status := StatusUnknown
		if failure.notRecorded {
			status = StatusNotRecorded
		}
		failure.Results = unresolved(status, events...)
	}
	return err
}

func unresolved(status string, events ...prepared) []Result {
	results := make([]Result, len(events))
	for index, event := range events {
		results[index] = Result{Status: status, ID: event.id}
	}
	return results
}

// A random UUID (RFC 9562, version 4).
func newUUID() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	bits[6], bits[8] = bits[6]&0x0f|0x40, bits[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bits[:4], bits[4:6], bits[6:8], bits[8:10], bits[10:])
}
