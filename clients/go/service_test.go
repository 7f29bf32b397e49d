package flowhooks

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Against a running service in development mode: FLOW_HOOKS_URL is its address, FLOW_HOOKS_ADMIN_KEY its admin key. Each test has an
// organisation, a client of a producer for it, and the client of an operator.
type place struct {
	url, orgID, key    string
	producer, operator *Client
	// Requests to its listeners.
	received chan delivery
	hookURL  string
}

type delivery struct {
	header http.Header
	body   []byte
}

func atTheService(t *testing.T) *place {
	t.Helper()
	address := os.Getenv("FLOW_HOOKS_URL")
	if address == "" {
		t.Skip("FLOW_HOOKS_URL is not set")
	}
	t.Parallel()
	p := &place{url: address, orgID: "org-" + newUUID(), received: make(chan delivery, 1_000)}
	p.operator = must(New(address, os.Getenv("FLOW_HOOKS_ADMIN_KEY")))(t)
	var made struct{ Key string }
	scopes := []string{"flows:publish", "listeners:read", "listeners:write"}
	ok(t, p.operator.Do(background, "POST", "/admin/api/api-keys", nil, map[string]any{"name": "shop", "orgId": p.orgID, "scopes": scopes}, &made))
	p.key, p.producer = made.Key, must(New(address, made.Key))(t)
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.received <- delivery{r.Header, body}
	}))
	t.Cleanup(listener.Close)
	p.hookURL = listener.URL + "/listener"
	return p
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must[Value any](value Value, err error) func(*testing.T) Value {
	return func(t *testing.T) Value {
		t.Helper()
		ok(t, err)
		return value
	}
}

// A client whose first answers are lost: the service has done what they would say.
func (p *place) losing(t *testing.T, answers int32) *Client {
	t.Helper()
	target, _ := url.Parse(p.url)
	// Without X-Forwarded-For, which development mode refuses.
	relay := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if atomic.AddInt32(&answers, -1) < 0 {
			relay.ServeHTTP(w, r)
			return
		}
		relay.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	return must(New(server.URL, p.key))(t)
}

// The IDs of the organisation's flow events, once so many have been fanned out.
func (p *place) recorded(t *testing.T, count int) []string {
	t.Helper()
	for ends := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var found []string
		for event, err := range p.operator.FlowEvents(background, FlowEventQuery{OrgID: p.orgID}) {
			ok(t, err)
			found = append(found, event.EventID)
		}
		if len(found) >= count || time.Now().After(ends) {
			equal(t, len(found), count)
			return found
		}
	}
}

func (p *place) next(t *testing.T) delivery {
	t.Helper()
	select {
	case found := <-p.received:
		return found
	case <-time.After(time.Minute):
		t.Fatal("nothing was delivered")
		return delivery{}
	}
}

func TestWithTheServiceSubscribesOnceAndIsSentWhatItsSecretVerifies(t *testing.T) {
	p := atTheService(t)
	subscription := Subscription{HookURL: p.hookURL, Type: "order.*", Filter: map[string]any{"data": 1}, RatePerSecond: 5, SignedWithKeyPair: true}
	listener := must(p.losing(t, 1).Subscribe(background, subscription))(t)
	equal(t, must(p.producer.Subscribe(background, subscription))(t).ListenerID, listener.ListenerID)
	equal(t, *listener.RatePerSecond, 5.0)
	for data := range 2 {
		must(p.producer.Publish(background, Event{ID: fmt.Sprint(data), Type: "order.paid", Data: data}))(t)
	}
	sent := p.next(t)
	ok(t, Verify(sent.header, sent.body, "whsec_b3RoZXI=", listener.SigningSecret))
	ok(t, Verify(sent.header, sent.body, listener.SigningPublicKey))
	equal(t, failed(t, Verify(sent.header, sent.body, "whsec_b3RoZXI=")).Code, "invalid_signature")
	for range 2 {
		ok(t, p.producer.Unsubscribe(background, p.hookURL, Identity{}))
	}
	for found, err := range p.producer.Listeners(background, p.orgID) {
		t.Fatal(found, err)
	}
}

func TestWithTheServiceShowsWhatAKeyIsFor(t *testing.T) {
	p := atTheService(t)
	found := must(p.producer.Whoami(background))(t)
	equal(t, *found.OrgID, p.orgID)
	equal(t, slices.Contains(found.Scopes, "flows:publish"), true)
	equal(t, *must(p.operator.Whoami(background))(t).Role, "owner")
	wrong := must(New(p.url, "fh_wrong"))(t)
	equal(t, failed(t, second(wrong.Whoami(background))).Code, "unauthenticated")
	equal(t, failed(t, second(p.producer.Publish(background, Event{OrgID: "other", Type: "t", Data: 1}))).Code, "forbidden")
}

func TestWithTheServiceRecordsEventsOnceAlthoughAnswersWereLost(t *testing.T) {
	p := atTheService(t)
	client := p.losing(t, 1)
	first := must(client.Publish(background, Event{Type: "order.paid", Data: 1}))(t)
	events := make([]Event, 50)
	for index := range events {
		events[index] = Event{Type: "order.paid", Data: index}
	}
	events[20] = Event{ID: "20", Type: "no type", Data: 1}
	results := must(p.losing(t, 1).PublishBatch(background, events))(t)
	equal(t, results[20].Error, "invalid_request")
	ids := p.recorded(t, 50)
	for index, result := range append(results, *first) {
		equal(t, slices.Contains(ids, result.ID), index != 20)
	}
}

func TestWithTheServiceExplainsAndReplays(t *testing.T) {
	p := atTheService(t)
	for data := range 3 {
		must(p.producer.Publish(background, Event{ID: fmt.Sprintf("order/%d ?", data), Type: "order.paid", Data: data}))(t)
	}
	p.recorded(t, 3)
	listener := must(p.producer.Subscribe(background, Subscription{HookURL: p.hookURL, Type: "order.*"}))(t)
	explanation := must(p.operator.Explain(background, ExplainRequest{OrgID: p.orgID, EventID: "order/1 ?"}))(t)
	equal(t, explanation.Items[0].Outcome, "not-subscribed")
	request := ReplayRequest{OrgID: p.orgID, ListenerID: listener.ListenerID, Type: "order.*"}
	started := must(p.operator.Replay(background, request))(t)
	request.ID = started.ID
	equal(t, must(p.operator.Replay(background, request))(t).ID, started.ID)
	looks := 0
	replay := must(p.operator.WaitForReplay(background, started.ID, 50*time.Millisecond, func(*Replay) { looks++ }))(t)
	equal(t, fmt.Sprint(replay.State, replay.Enqueued, looks > 0), "completed3 true")
	for range 3 {
		sent := p.next(t)
		ok(t, Verify(sent.header, sent.body, listener.SigningSecret))
	}
	deliveries := 0
	for found, err := range p.operator.Deliveries(background, DeliveryQuery{OrgID: p.orgID, Replay: started.ID, From: time.Now().Add(-time.Hour)}) {
		ok(t, err)
		equal(t, found.ListenerID, listener.ListenerID)
		deliveries++
	}
	equal(t, deliveries, 3)

	request.ID, request.RatePerSecond = "", 0.1
	slow := must(p.operator.Replay(background, request))(t)
	for range 2 {
		equal(t, must(p.operator.CancelReplay(background, slow.ID))(t).State, "cancelled")
	}
	equal(t, failed(t, second(p.operator.CancelReplay(background, newUUID()))).Code, "replay_not_found")
}
