package flowhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const key = "fhk_that_must_stay_secret"

var background = context.Background()

// A service that gives these answers in turn, the last one again and again, and a client of it that records its waits.
type stub struct {
	*Client
	mutex  sync.Mutex
	url    string
	bodies []string
	paths  []string
	delays []time.Duration
}

type response func(http.ResponseWriter, *http.Request)

func answering(status int, body string, header ...string) response {
	return func(w http.ResponseWriter, _ *http.Request) {
		for index := 0; index < len(header); index += 2 {
			w.Header().Set(header[index], header[index+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func breakingOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"id":`)
	panic(http.ErrAbortHandler)
}

func stubbed(t *testing.T, responses []response, options ...Option) *stub {
	t.Helper()
	s := &stub{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mutex.Lock()
		next := responses[min(len(s.bodies), len(responses)-1)]
		s.bodies, s.paths = append(s.bodies, string(body)), append(s.paths, r.URL.RequestURI())
		s.mutex.Unlock()
		next(w, r)
	}))
	t.Cleanup(server.Close)
	client, err := New(server.URL+"/", key, options...)
	if err != nil {
		t.Fatal(err)
	}
	client.sleep = func(_ context.Context, delay time.Duration) error {
		s.delays = append(s.delays, delay)
		return nil
	}
	s.Client, s.url = client, server.URL
	return s
}

func failed(t *testing.T, err error) *Error {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v is no *Error", err)
	}
	return failure
}

func equal[Value any](t *testing.T, found, expected Value) {
	t.Helper()
	if one, other := fmt.Sprintf("%+v", found), fmt.Sprintf("%+v", expected); one != other {
		t.Fatalf("%s instead of %s", one, other)
	}
}

var accepted = answering(202, `{"id":"1"}`)

func TestRepeatsARequestUnderTheSameIDAndNotBeforeTheServiceAskedFor(t *testing.T) {
	date := []string{"Date", "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After", "Wed, 21 Oct 2026 07:28:09 GMT"}
	s := stubbed(t, []response{answering(503, "{}"), breakingOff, answering(429, "{}", "Retry-After", "7"), answering(503, "{}", date...), accepted})
	result, err := s.Publish(background, Event{Type: "order.paid", Data: 1})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, len(s.bodies), 5)
	for _, body := range s.bodies {
		equal(t, body, fmt.Sprintf(`{"id":%q,"type":"order.paid","data":1}`, result.ID))
	}
	for index, least := range []time.Duration{500 * time.Millisecond, time.Second, 7 * time.Second, 9 * time.Second} {
		if delay := s.delays[index]; delay < least || delay > least+4*time.Second {
			t.Fatalf("waited %s, asked for %s", delay, least)
		}
	}
}

func TestGivesUpAtTheLastAttemptAndWhereTheDeadlineIsTooSoon(t *testing.T) {
	s := stubbed(t, []response{answering(503, "{}")}, WithRetries(2))
	equal(t, failed(t, second(s.Publish(background, Event{Data: 1}))).Status, 503)
	equal(t, len(s.bodies), 3)
	s = stubbed(t, []response{answering(429, "{}", "Retry-After", "600")})
	equal(t, failed(t, second(s.Publish(background, Event{Data: 1}))).RetryAfter, 10*time.Minute)
	equal(t, len(s.bodies), 1)
	for _, status := range []int{400, 401, 404, 501, 505} {
		s = stubbed(t, []response{answering(status, "{}")})
		failed(t, second(s.Publish(background, Event{Data: 1})))
		equal(t, len(s.bodies), 1)
	}
}

func second[First any](_ First, err error) error { return err }

func TestKnowsOfAnEventWhetherItMayBeRecorded(t *testing.T) {
	event := Event{ID: "1", Type: "t", Data: 1}
	refused := stubbed(t, []response{answering(429, "{}")}, WithRetries(1))
	equal(t, failed(t, second(refused.Publish(background, event))).Results, []Result{{Status: StatusNotRecorded, ID: "1"}})
	for _, other := range []response{breakingOff, answering(200, "<html>"), answering(200, "[]"), answering(202, "{}"), answering(500, "{}")} {
		s := stubbed(t, []response{answering(429, "{}"), other}, WithRetries(1))
		equal(t, failed(t, second(s.Publish(background, event))).Results, []Result{{Status: StatusUnknown, ID: "1"}})
	}
	batch := stubbed(t, []response{batchAnswer, answering(500, "{}"), answering(500, "{}")}, WithRetries(0))
	events := make([]Event, 2_500)
	for index := range events {
		events[index] = Event{ID: fmt.Sprint(index), Type: "t", Data: index}
	}
	results := failed(t, second(batch.PublishBatch(background, events))).Results
	equal(t, len(results), 2_500)
	for index, expected := range map[int]string{0: StatusAccepted, 999: StatusAccepted, 1_000: StatusUnknown, 1_999: StatusUnknown, 2_000: StatusNotRecorded} {
		equal(t, results[index], Result{Status: expected, ID: fmt.Sprint(index)})
	}
}

// Accepts each event of a batch, without the ID, which the client has to add.
func batchAnswer(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(202)
	_, _ = io.WriteString(w, `{"results":[{"status":"accepted"}`+strings.Repeat(`,{"status":"accepted"}`, 999)+`]}`)
}

func TestSplitsABatchByNumberAndBySizeAndHalvesWhatIsTooLarge(t *testing.T) {
	s := stubbed(t, []response{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }}, WithRetries(0))
	limit := 300
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var events []Event
		_ = json.NewDecoder(r.Body).Decode(&events)
		s.paths = append(s.paths, fmt.Sprint(len(events)))
		isLarge := func(event Event) bool { return event.ID == "large" }
		if len(events) > limit || slices.ContainsFunc(events, isLarge) {
			w.WriteHeader(413)
			return
		}
		_, _ = io.WriteString(w, `{"results":[`+strings.TrimSuffix(strings.Repeat(`{"status":"accepted"},`, len(events)), ",")+`]}`)
	}))
	defer server.Close()
	s.url, s.Client.url = server.URL, server.URL
	events := make([]Event, 1_100)
	for index := range events {
		events[index] = Event{ID: fmt.Sprint(index), Data: index}
	}
	events[1_099].ID = "large"
	results, err := s.PublishBatch(background, events)
	if err != nil {
		t.Fatal(err)
	}
	for index, result := range results {
		equal(t, result.ID, events[index].ID)
	}
	equal(t, results[1_099], Result{Status: StatusRejected, ID: "large", Error: "http_error", Message: "413 Request Entity Too Large"})
	equal(t, strings.Join(s.paths[:7], " "), "1000 500 250 250 500 250 250")

	s.paths, limit = nil, 1_000
	large := strings.Repeat("x", 1_500_000)
	if _, err := s.PublishBatch(background, []Event{{Data: large}, {Data: large}, {Data: large}}); err != nil {
		t.Fatal(err)
	}
	equal(t, s.paths, []string{"2", "1"})
	s.paths = nil
	equal(t, failed(t, second(s.PublishBatch(background, []Event{{Data: 1}, {Data: large + large + large}}))).Code, "payload_too_large")
	equal(t, failed(t, second(s.PublishBatch(background, []Event{{Data: 1}, {Data: make(chan int)}}))).Code, "invalid_event")
	equal(t, len(s.paths), 0)
}

func TestEndsWithItsContextAndItsTimeout(t *testing.T) {
	hanging := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	s := stubbed(t, []response{hanging}, WithTimeout(time.Second), WithRetries(1))
	equal(t, failed(t, second(s.Whoami(background))).Code, "timeout")
	equal(t, len(s.bodies), 2)
	ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
	defer cancel()
	err := second(stubbed(t, []response{hanging}).Publish(ctx, Event{ID: "1", Data: 1}))
	equal(t, failed(t, err).Code, "aborted")
	equal(t, failed(t, err).Results, []Result{{Status: StatusUnknown, ID: "1"}})
	equal(t, errors.Is(err, context.DeadlineExceeded), true)
}

func TestHasErrorsOfTheServiceAndOfWhatIsNotTheService(t *testing.T) {
	body := `{"error":"forbidden","message":"no","requestId":"r1"}`
	failure := failed(t, second(stubbed(t, []response{answering(403, body, "X-Request-Id", "r2")}).Whoami(background)))
	equal(t, failure.Error(), "no (forbidden, status 403, request r1)")
	failure = failed(t, second(stubbed(t, []response{answering(502, "<h1>")}, WithRetries(0)).Whoami(background)))
	equal(t, failure.Error(), "502 Bad Gateway (http_error, status 502)")
	for _, page := range []string{"<h1>", "[]", "{}", `{"actor":1,"scopes":[]}`} {
		equal(t, failed(t, second(stubbed(t, []response{answering(200, page)}).Whoami(background))).Code, "unexpected_answer")
	}
}

func TestFollowsNoRedirectSoThatTheKeyGoesToNoOtherServer(t *testing.T) {
	other := stubbed(t, []response{accepted})
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := stubbed(t, []response{answering(status, "", "Location", other.url+"/login?secret=1")})
		failure := failed(t, second(s.Publish(background, Event{Data: 1})))
		equal(t, failure.Message, "redirected to "+other.url+"/login, which is not followed")
	}
	equal(t, len(other.bodies), 0)
}

func TestShowsItsKeyNowhereAndRefusesAddressesAndKeysThatAreNone(t *testing.T) {
	s := stubbed(t, []response{answering(401, "{}")})
	failure := failed(t, second(s.Whoami(background)))
	for _, text := range []string{fmt.Sprintf("%v %+v %#v", s.Client, s.Client, *s.Client), fmt.Sprintf("%+v %#v", failure, failure)} {
		if strings.Contains(text, key) {
			t.Fatal("the key is shown")
		}
	}
	for _, address := range []string{"", "hooks.example.com", "ftp://a", "http://", "http://u:secret@a", "http://a?b", "http://a#", "http://a b"} {
		failure := failed(t, second(New(address, key)))
		equal(t, failure.Code, "invalid_option")
		if strings.Contains(failure.Error(), "secret") {
			t.Fatal("the password is shown")
		}
	}
	for _, wrong := range []string{"", key + "\n", key + " ", key + "é"} {
		equal(t, failed(t, second(New("http://a", wrong))).Code, "invalid_option")
	}
	for _, option := range []Option{WithTimeout(0), WithDeadline(-1), WithRetries(-1), WithHTTPClient(nil)} {
		equal(t, failed(t, second(New("http://a", key, option))).Code, "invalid_option")
	}
}

func TestFollowsThePagesOfListsAndExplanations(t *testing.T) {
	pages := []response{
		answering(200, `{"event":{},"items":[{"eventId":"1","listenerId":"1"}],"next":"a&b"}`),
		answering(200, `{"event":{},"items":[],"next":"c"}`),
		answering(200, `{"event":{},"items":[{"eventId":"2","listenerId":"2"}],"next":null}`),
	}
	s := stubbed(t, pages)
	var found []string
	for event, err := range s.FlowEvents(background, FlowEventQuery{OrgID: "acme", From: time.Unix(0, 0).UTC()}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, event.EventID)
	}
	equal(t, found, []string{"1", "2"})
	equal(t, s.paths[1], "/admin/api/flows?after=a%26b&from=1970-01-01T00%3A00%3A00Z&limit=100&orgId=acme")
	s = stubbed(t, pages)
	explanation, err := s.Explain(background, ExplainRequest{OrgID: "acme", EventID: ".."})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{explanation.Items[0].ListenerID, explanation.Items[1].ListenerID}, []string{"1", "2"})
	equal(t, s.paths[0], "/admin/api/flows/%2E./explain")
	equal(t, s.bodies[1], `{"orgId":"acme","after":"a\u0026b"}`)
	for _, err := range stubbed(t, []response{answering(200, `{"items":null}`)}).Listeners(background, "acme") {
		equal(t, failed(t, err).Code, "unexpected_answer")
	}
}

func TestSendsIDsOfAnyCharactersAsTheUTF8ThatTheServiceReads(t *testing.T) {
	var received string
	s := stubbed(t, []response{func(w http.ResponseWriter, r *http.Request) {
		received = r.Header.Get("Orgid")
		_, _ = io.WriteString(w, `{"success":true}`)
	}})
	if err := s.Unsubscribe(background, "https://a.example", Identity{OrgID: "Zürich 艾达"}); err != nil {
		t.Fatal(err)
	}
	equal(t, received, "Zürich 艾达")
	equal(t, failed(t, s.Unsubscribe(background, "https://a.example", Identity{OrgID: "a\r\nb: c"})).Code, "invalid_option")
}
