package flowhooks

import (
	"fmt"
	"time"
)

// Error is the error of everything in this package. Neither it nor what it wraps contains the key or the body of a request.
type Error struct {
	// Code is for programs: the error of the service, or one of this package; the README lists these.
	Code    string
	Message string
	// Status of the answer; 0 if there was none.
	Status int
	// RequestID names the failure in the log of the service.
	RequestID string
	// RetryAfter is the time that the last answer asked to wait.
	RetryAfter time.Duration
	// Results of Publish and PublishBatch: what is known of each event, in order. Publish those that are StatusUnknown or
	// StatusNotRecorded again under the ids that they have here. Nil: nothing was sent.
	Results []Result

	cause       error
	notRecorded bool
}

// Error returns the message with the code, the status and the request's ID.
func (e *Error) Error() string {
	text := e.Message + " (" + e.Code
	if e.Status != 0 {
		text += fmt.Sprintf(", status %d", e.Status)
	}
	if e.RequestID != "" {
		text += ", request " + e.RequestID
	}
	return text + ")"
}

// Unwrap returns the cause, such as context.Canceled.
func (e *Error) Unwrap() error { return e.cause }
