// Package flowhooks is the client of a Flow Hooks service: it publishes flow events, operates their deliveries, and verifies what listeners
// receive.
package flowhooks

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Client of a service. Its methods repeat requests that fail for a time, and return an *Error. Goroutines may share a client.
type Client struct {
	url string
	// A function, so that no print of the client shows the key.
	authorise func(*http.Request)
	http      *http.Client
	timeout   time.Duration
	retries   int
	deadline  time.Duration
	sleep     func(context.Context, time.Duration) error
}

// Option of New.
type Option func(*Client)

// WithTimeout limits an attempt, up to the end of its answer. Default: 30 s.
func WithTimeout(timeout time.Duration) Option { return func(c *Client) { c.timeout = timeout } }

// WithRetries sets the maximum number of attempts after the first. Default: 4.
func WithRetries(retries int) Option { return func(c *Client) { c.retries = retries } }

// WithDeadline limits a request with all its attempts, and the waits between them. Default: 2 min.
func WithDeadline(deadline time.Duration) Option { return func(c *Client) { c.deadline = deadline } }

// WithHTTPClient sends the requests with this client, for example through a proxy. Its redirects are not followed.
func WithHTTPClient(client *http.Client) Option { return func(c *Client) { c.http = client } }

var printable = regexp.MustCompile(`^[\x21-\x7e]+$`)

// New returns a client. The key is an API key, an admin key or an access token. The error has the code invalid_option.
func New(address, key string, options ...Option) (*Client, error) {
	client := &Client{
		authorise: func(request *http.Request) { request.Header.Set("Authorization", "Bearer "+key) },
		http:      http.DefaultClient,
		timeout:   30 * time.Second,
		retries:   4,
		deadline:  2 * time.Minute,
		sleep:     sleep,
	}
	for _, option := range options {
		option(client)
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https"):
		return nil, invalidOption("the address must begin with https:// or http://") // without the value, which may contain a password
	case parsed.User != nil || strings.ContainsAny(address, "?#"):
		return nil, invalidOption("the address must not contain a user name, a password, a query or a fragment")
	case !printable.MatchString(key):
		return nil, invalidOption("the key must be printable ASCII characters without spaces")
	case client.timeout <= 0 || client.deadline <= 0 || client.retries < 0 || client.http == nil:
		return nil, invalidOption("timeout and deadline must be above 0, retries from 0, and the HTTP client must not be nil")
	}
	client.url = strings.TrimRight(address, "/")
	withoutRedirects := *client.http
	withoutRedirects.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.http = &withoutRedirects
	return client, nil
}

func invalidOption(message string) *Error { return &Error{Code: "invalid_option", Message: message} }

func sleep(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return aborted(ctx)
	}
}

func aborted(ctx context.Context) *Error {
	return &Error{Code: "aborted", Message: "the call was aborted", cause: context.Cause(ctx)}
}
