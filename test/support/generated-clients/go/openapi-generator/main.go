// Makes the calls of calls.ts with the client that openapi-generator makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"generated/flowhooks"
)

func must[T any](answer T, _ *http.Response, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func event(id string, data any) flowhooks.EventToPublish {
	event := *flowhooks.NewEventToPublish("order.paid", data)
	event.SetId(id)
	return event
}

func main() {
	configuration := flowhooks.NewConfiguration()
	configuration.Servers = flowhooks.ServerConfigurations{{URL: os.Getenv("ORIGIN")}}
	client := flowhooks.NewAPIClient(configuration)
	anonymous := context.Background()
	admin := context.WithValue(anonymous, flowhooks.ContextAccessToken, os.Getenv("ADMIN_KEY"))

	declaration := *flowhooks.NewDeclareEventTypeRequest("order.paid", "An order was paid")
	declaration.SetSchema(map[string]any{"type": "object", "required": []string{"total"}})
	declaration.SetExample(map[string]any{"total": 42})
	declared := must(client.OperatorsEventTypesAPI.DeclareEventType(admin).DeclareEventTypeRequest(declaration).Execute())
	listed := must(client.OperatorsEventTypesAPI.ListEventTypes(admin).Execute())

	first := event("order-1", map[string]any{"total": 42})
	first.SetOrgId("acme")
	published := must(client.ProducersFlowEventsAPI.PublishFlowEvent(admin).EventToPublish(first).Execute())
	second := event("order-2", []any{1, "two", nil})
	second.SetOrgId("acme")
	events := []flowhooks.EventToPublish{second, event("order-3", 3)}
	batch := must(client.ProducersFlowEventsAPI.PublishFlowEvents(admin).EventToPublish(events).Execute())
	statuses := []string{batch.Results[0].AcceptedEvent.Status, batch.Results[1].RejectedEvent.Status}

	access := client.PlatformsSignInAndTokensAPI.ExchangeCode(anonymous)
	ofCode := *flowhooks.NewExchangeCodeRequest("authorization_code")
	ofCode.SetCode(os.Getenv("CODE"))
	tokens := must(access.ExchangeCodeRequest(ofCode).Execute())
	refresh := *flowhooks.NewExchangeCodeRequest("refresh_token")
	refresh.SetRefreshToken(tokens.RefreshToken)
	refreshed := must(access.ExchangeCodeRequest(refresh).Execute())
	introspection := *flowhooks.NewIntrospectTokenRequest(refreshed.AccessToken)
	introspected := must(client.PlatformsSignInAndTokensAPI.IntrospectToken(admin).IntrospectTokenRequest(introspection).Execute())

	user := context.WithValue(anonymous, flowhooks.ContextAccessToken, refreshed.AccessToken)
	wanted := *flowhooks.NewSubscribeRequest(os.Getenv("HOOK_URL"), "order.*")
	wanted.SetFilter(map[string]any{"data.total": map[string]any{"$gt": 40}})
	listener := must(client.PlatformsListenersAPI.Subscribe(user).Orgid(tokens.GetOrgId()).Userid(tokens.GetUserId()).
		SubscribeRequest(wanted).Execute())

	_, refused, _ := client.OperatorsReplaysAPI.ShowReplay(admin, "9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c").Execute()

	answers, _ := json.Marshal(map[string]any{
		"example": declared.Example, "schema": listed.Items[0].Schema,
		"published": published.GetId(), "batch": statuses,
		"user": tokens.GetUserId(), "active": introspected.Active,
		"filter": listener.Filter, "transform": listener.Transform.Get(), "refused": refused.StatusCode,
	})
	fmt.Println(string(answers))
}
