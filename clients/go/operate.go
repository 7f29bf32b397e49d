package flowhooks

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Identity names who subscribes. OrgID is needed with an access token, and with an API key for every organisation; UserID, the owner of the
// listener, with an access token.
type Identity struct {
	OrgID  string `json:"-"`
	UserID string `json:"-"`
}

func (i Identity) header() http.Header {
	header := http.Header{}
	for name, value := range map[string]string{"Orgid": i.OrgID, "Userid": i.UserID} {
		if value != "" {
			header.Set(name, value)
		}
	}
	return header
}

// Subscription is a listener to register: its hook URL, and which flow events it receives in which way.
type Subscription struct {
	Identity
	HookURL string `json:"hookUrl"`
	// Type is a type (flow.completed), a prefix (flow.*), or all (*).
	Type string `json:"subscriptionType"`
	// Filter selects among these by MongoDB's query operators on the delivered event.
	Filter map[string]any `json:"filter,omitempty"`
	// Transform is a JSONata expression over the delivered event, whose result is sent.
	Transform string `json:"transform,omitempty"`
	// Ordered: one delivery at a time, in the order of the flow events.
	Ordered bool `json:"ordered,omitempty"`
	// RatePerSecond is the maximum number of deliveries per second; 0: the service-wide limit for each listener.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
	// Description is free text of who registers the listener.
	Description string `json:"description,omitempty"`
	// SignedWithKeyPair: deliveries also have a signature v1a, which the SigningPublicKey of the answer verifies.
	SignedWithKeyPair bool `json:"signedWithKeyPair,omitempty"`
}

// Whoami returns what the key is for: who is calling, the organisation (nil: all), and the scopes.
func (c *Client) Whoami(ctx context.Context) (*Credentials, error) {
	return call[Credentials](ctx, c, get("/whoami", nil), "actor", "scopes")
}

// Subscribe registers a listener, to which the flow events of its subscription are delivered; the answer has its signing secret. The same
// again changes nothing, another subscription of the hook URL replaces the one before. For access tokens and API keys.
func (c *Client) Subscribe(ctx context.Context, subscription Subscription) (*SubscribedListener, error) {
	r, err := post("/api/hooks/subscribe/flows", subscription)
	if err != nil {
		return nil, err
	}
	r.header = subscription.header()
	return call[SubscribedListener](ctx, c, r, "listenerId", "signingSecret")
}

// Unsubscribe removes the listener of a hook URL: when it returns, no delivery to it starts any more. A repeat changes nothing.
func (c *Client) Unsubscribe(ctx context.Context, hookURL string, identity Identity) error {
	r, err := post("/api/hooks/unsubscribe/flows", map[string]string{"hookUrl": hookURL})
	if err != nil {
		return err
	}
	r.header = identity.header()
	_, err = call[struct{}](ctx, c, r, "success")
	return err
}

// DeliveryQuery selects deliveries of an organisation; empty fields select all.
type DeliveryQuery struct {
	OrgID, ListenerID, EventID, Replay, Type, State string
	From, To                                        time.Time
}

// Deliveries are those of an organisation, those of the latest flow events first. Pages are requested one by one; an error ends the sequence.
func (c *Client) Deliveries(ctx context.Context, query DeliveryQuery) iter.Seq2[Delivery, error] {
	values := valuesOf(map[string]string{"orgId": query.OrgID, "listenerId": query.ListenerID, "eventId": query.EventID,
		"replay": query.Replay, "type": query.Type, "state": query.State}, query.From, query.To)
	return items[Delivery](ctx, c, "/admin/api/deliveries", values)
}

// FlowEventQuery selects flow events of an organisation; empty fields select all.
type FlowEventQuery struct {
	OrgID, Type string
	From, To    time.Time
}

// FlowEvents are those of an organisation, the latest first. Pages are requested one by one; an error ends the sequence.
func (c *Client) FlowEvents(ctx context.Context, query FlowEventQuery) iter.Seq2[ListedFlowEvent, error] {
	values := valuesOf(map[string]string{"orgId": query.OrgID, "type": query.Type}, query.From, query.To)
	return items[ListedFlowEvent](ctx, c, "/admin/api/flows", values)
}

// Listeners are those of an organisation, active and paused. Pages are requested one by one; an error ends the sequence.
func (c *Client) Listeners(ctx context.Context, orgID string) iter.Seq2[Listener, error] {
	return items[Listener](ctx, c, "/admin/api/listeners", url.Values{"orgId": {orgID}})
}

// ExplainRequest names the flow event to explain, by the ID with which it was published, for all listeners of the organisation or for one.
type ExplainRequest struct {
	EventID    string `json:"-"`
	OrgID      string `json:"orgId"`
	ListenerID string `json:"listenerId,omitempty"`
	HookURL    string `json:"hookUrl,omitempty"`
}

// Explain returns for each listener whether it got the flow event, and why. It has all pages: Next is nil.
func (c *Client) Explain(ctx context.Context, request ExplainRequest) (*Explanation, error) {
	var explanation *Explanation
	for after := (*string)(nil); ; {
		r, err := post("/admin/api/flows/"+segment(request.EventID)+"/explain", struct {
			ExplainRequest
			After *string `json:"after,omitempty"`
		}{request, after})
		if err != nil {
			return nil, err
		}
		page, err := call[Explanation](ctx, c, r, "event", "items", "next")
		if err != nil {
			return nil, err
		}
		if explanation != nil {
			page.Items = append(explanation.Items, page.Items...)
		}
		explanation = page
		if after = page.Next; after == nil {
			return explanation, nil
		}
	}
}

// ReplayRequest names a listener, by ListenerID or HookURL, and the flow events to send it again: EventID, or a period and a type.
type ReplayRequest struct {
	// ID is a UUID; repeats with it start no second replay. One is made if it is empty.
	ID         string    `json:"id"`
	OrgID      string    `json:"orgId"`
	ListenerID string    `json:"listenerId,omitempty"`
	HookURL    string    `json:"hookUrl,omitempty"`
	EventID    string    `json:"eventId,omitempty"`
	From       time.Time `json:"from,omitzero"`
	To         time.Time `json:"to,omitzero"`
	Type       string    `json:"type,omitempty"`
	// RatePerSecond is the pace, from 0.1 to 10,000 flow events a second; 50 if it is 0.
	RatePerSecond float64 `json:"ratePerSecond,omitempty"`
}

// Replay sends past flow events to one listener again. It returns as soon as the replay is started: WaitForReplay waits for its end.
func (c *Client) Replay(ctx context.Context, request ReplayRequest) (*Replay, error) {
	if request.ID == "" {
		request.ID = newUUID()
	}
	r, err := post("/admin/api/replays", request)
	if err != nil {
		return nil, err
	}
	return call[Replay](ctx, c, r, "id")
}

// WaitForReplay returns once the replay is completed, which means that all its deliveries are in the queue, or cancelled. It looks once for
// each interval, and calls onProgress, unless that is nil, after each look.
func (c *Client) WaitForReplay(ctx context.Context, id string, interval time.Duration, onProgress func(*Replay)) (*Replay, error) {
	for {
		replay, err := call[Replay](ctx, c, get("/admin/api/replays/"+segment(id), nil), "state")
		if err != nil {
			return nil, err
		}
		if onProgress != nil {
			onProgress(replay)
		}
		if replay.State != "running" {
			return replay, nil
		}
		if err := c.sleep(ctx, interval); err != nil {
			return nil, err
		}
	}
}

// CancelReplay cancels a replay, and those of its deliveries that wait. A repeat changes nothing.
func (c *Client) CancelReplay(ctx context.Context, id string) (*CancelledReplay, error) {
	r, err := post("/admin/api/replays/"+segment(id)+"/cancel", struct{}{})
	if err != nil {
		return nil, err
	}
	return call[CancelledReplay](ctx, c, r, "state")
}

// Do sends a request to any route of the service, such as GET /admin/api/stats, and decodes its answer into target, a pointer or nil. The
// body is nil, or is sent as JSON. Only a GET is repeated.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body, target any) error {
	r := request{method: method, path: path, query: query, repeatable: method == http.MethodGet}
	if body != nil {
		content, err := post(path, body)
		if err != nil {
			return err
		}
		r.body, r.contentType = content.body, content.contentType
	}
	found, err := c.send(ctx, r)
	if err != nil || target == nil {
		return err
	}
	decoded, err := decode[json.RawMessage](found)
	if err != nil {
		return err
	}
	return json.Unmarshal(*decoded, target)
}

func get(path string, query url.Values) request {
	return request{method: "GET", path: path, query: query, repeatable: true}
}

// A parameter as a segment of a path; a dot segment would be another path (RFC 3986 §5.2.4).
func segment(parameter string) string {
	switch parameter {
	case ".", "..":
		return "%2E" + parameter[1:]
	}
	return url.PathEscape(parameter)
}

func valuesOf(texts map[string]string, from, to time.Time) url.Values {
	values := url.Values{}
	for name, text := range texts {
		if text != "" {
			values.Set(name, text)
		}
	}
	for name, instant := range map[string]time.Time{"from": from, "to": to} {
		if !instant.IsZero() {
			values.Set(name, instant.Format(time.RFC3339Nano))
		}
	}
	return values
}

const pageSize = 100

func items[Item any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[Item, error] {
	type page struct {
		Items []Item  `json:"items"`
		Next  *string `json:"next"`
	}
	return func(yield func(Item, error) bool) {
		values := url.Values{"limit": {strconv.Itoa(pageSize)}}
		for name, texts := range query {
			values[name] = texts
		}
		for {
			found, err := call[page](ctx, c, get(path, values), "items", "next")
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range found.Items {
				if !yield(item, nil) {
					return
				}
			}
			if found.Next == nil {
				return
			}
			values.Set("after", *found.Next)
		}
	}
}
