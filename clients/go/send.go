package flowhooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	firstDelay   = time.Second
	longestDelay = time.Minute
)

// A request to a route. Repeatable: it has the same effect when it is sent again.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
	contentType  string
	repeatable   bool
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

// Sends a request until the answer is not transient, at most until the deadline. Returns a successful answer, or an *Error.
func (c *Client) send(ctx context.Context, r request) (*answer, error) {
	if err := checkHeader(r.header); err != nil {
		return nil, err
	}
	ends := time.Now().Add(c.deadline)
	allRefused := true
	for attempt := 1; ; attempt++ {
		found, failure := c.attempt(ctx, r, ends)
		if failure == nil {
			return found, nil
		}
		allRefused = allRefused && isRefusal(failure.Status)
		failure.notRecorded = allRefused
		if !r.repeatable || attempt > c.retries || !mayPass(failure) {
			return nil, failure
		}
		delay := delayAfter(attempt, failure.RetryAfter)
		if time.Now().Add(delay).After(ends) {
			return nil, failure
		}
		if err := c.sleep(ctx, delay); err != nil {
			var ended *Error
			if errors.As(err, &ended) {
				ended.notRecorded = allRefused
			}
			return nil, err
		}
	}
}

func (c *Client) attempt(ctx context.Context, r request, ends time.Time) (*answer, *Error) {
	limit := time.Now().Add(c.timeout)
	if limit.After(ends) {
		limit = ends
	}
	limited, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	found, err := c.exchange(limited, r)
	switch {
	case err == nil && found.status >= 200 && found.status <= 299:
		return found, nil
	case err == nil:
		return nil, errorOf(found)
	case ctx.Err() != nil:
		return nil, aborted(ctx)
	case limited.Err() != nil || isTimeout(err):
		return nil, &Error{Code: "timeout", Message: fmt.Sprintf("%s %s: no answer in time", r.method, r.path), cause: err}
	}
	return nil, &Error{Code: "connection_failed", Message: fmt.Sprintf("%s %s: %s", r.method, r.path, err), cause: err}
}

func (c *Client) exchange(ctx context.Context, r request) (*answer, error) {
	address := c.url + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		sent.Header[name] = values
	}
	sent.Header.Set("Accept", "application/json")
	sent.Header.Set("User-Agent", "flow-hooks-go/"+Version)
	if r.body != nil {
		sent.Header.Set("Content-Type", r.contentType)
	}
	c.authorise(sent)
	response, err := c.http.Do(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return &answer{response.StatusCode, response.Header, body}, nil
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

func checkHeader(header http.Header) error {
	for name, values := range header {
		if strings.ContainsAny(strings.Join(values, ""), "\x00\r\n") {
			return invalidOption("the header " + name + " has a character that headers cannot have")
		}
	}
	return nil
}

func errorOf(a *answer) *Error {
	failure := &Error{Status: a.status, RequestID: a.header.Get("X-Request-Id"), RetryAfter: retryAfter(a.header)}
	switch a.status {
	case 301, 302, 303, 307, 308:
		place, err := url.Parse(a.header.Get("Location"))
		failure.Code, failure.Message = "unexpected_redirect", "the service redirects, which is not followed"
		if err == nil && place.Host != "" {
			failure.Message = fmt.Sprintf("redirected to %s://%s%s, which is not followed", place.Scheme, place.Host, place.Path)
		}
		return failure
	}
	var body map[string]any // of the service, or of a proxy
	_ = json.Unmarshal(a.body, &body)
	text := func(name string) string { found, _ := body[name].(string); return found }
	if text("error") == "" {
		failure.Code, failure.Message = "http_error", strings.TrimSpace(fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
		return failure
	}
	failure.Code = text("error")
	failure.Message = cmp.Or(text("message"), text("error_description"), failure.Code)
	failure.RequestID = cmp.Or(text("requestId"), failure.RequestID) // proxies may remove headers that they do not know
	return failure
}

// 408 is a proxy's too, which may have passed the request on.
func isRefusal(status int) bool { return status >= 400 && status <= 499 && status != 408 }

func mayPass(failure *Error) bool {
	switch status := failure.Status; status {
	case 0:
		return failure.Code == "connection_failed" || failure.Code == "timeout"
	case 408, 425, 429:
		return true
	default:
		return status >= 500 && status != 501 && status != 505
	}
}

// The time before the next attempt: exponential, half of it random, and never less than the service asked for.
func delayAfter(attempt int, asked time.Duration) time.Duration {
	backoff := min(firstDelay<<min(attempt-1, 10), longestDelay)
	backoff = backoff/2 + rand.N(backoff/2)
	if asked == 0 {
		return backoff
	}
	return max(backoff, asked+rand.N(time.Second))
}

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,9}$`)

// Retry-After (RFC 9110 §10.2.3). A date counts from the Date of the answer, so that the clocks of both sides may differ.
func retryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if wholeSeconds.MatchString(value) {
		seconds, _ := strconv.Atoi(value)
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		sent = time.Now()
	}
	return max(0, until.Sub(sent))
}

// Sends a request and decodes its answer. Fields: those that the answer has to have, of this or of another service.
func call[Answer any](ctx context.Context, c *Client, r request, fields ...string) (*Answer, error) {
	found, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	return decode[Answer](found, fields...)
}

func decode[Answer any](a *answer, fields ...string) (*Answer, error) {
	var present map[string]json.RawMessage
	decoded := new(Answer)
	err := errors.Join(json.Unmarshal(a.body, &present), json.Unmarshal(a.body, decoded))
	for _, field := range fields {
		if _, ok := present[field]; !ok && err == nil {
			err = errors.New("the field " + field + " is missing")
		}
	}
	if err != nil {
		return nil, &Error{Code: "unexpected_answer", Message: "the answer is not one of Flow Hooks", Status: a.status,
			RequestID: a.header.Get("X-Request-Id"), cause: err}
	}
	return decoded, nil
}

func post(path string, body any) (request, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return request{}, &Error{Code: "invalid_option", Message: "the request is no JSON: " + err.Error(), cause: err}
	}
	return request{method: "POST", path: path, body: content, contentType: "application/json", repeatable: true}, nil
}
