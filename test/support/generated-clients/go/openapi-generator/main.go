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

func event(id string, data any) flowhooks.PostApiFlowsRequest {
	event := *flowhooks.NewPostApiFlowsRequest("order.paid", data)
	event.SetId(id)
	return event
}

func main() {
	configuration := flowhooks.NewConfiguration()
	configuration.Servers = flowhooks.ServerConfigurations{{URL: os.Getenv("ORIGIN")}}
	client := flowhooks.NewAPIClient(configuration)
	anonymous := context.Background()
	admin := context.WithValue(anonymous, flowhooks.ContextAccessToken, os.Getenv("ADMIN_KEY"))

	declaration := *flowhooks.NewPostAdminApiEventTypesRequest("order.paid", "An order was paid")
	declaration.SetSchema(map[string]any{"type": "object", "required": []string{"total"}})
	declaration.SetExample(map[string]any{"total": 42})
	declared := must(client.OperatorsEventTypesAPI.PostAdminApiEventTypes(admin).PostAdminApiEventTypesRequest(declaration).Execute())
	listed := must(client.OperatorsEventTypesAPI.GetAdminApiEventTypes(admin).Execute())

	first := event("order-1", map[string]any{"total": 42})
	first.SetOrgId("acme")
	published := must(client.ProducersFlowEventsAPI.PostApiFlows(admin).PostApiFlowsRequest(first).Execute())
	second := event("order-2", []any{1, "two", nil})
	second.SetOrgId("acme")
	events := []flowhooks.PostApiFlowsRequest{second, event("order-3", 3)}
	batch := must(client.ProducersFlowEventsAPI.PostApiFlowsBatch(admin).PostApiFlowsRequest(events).Execute())
	statuses := []string{batch.Results[0].AcceptedEvent.Status, batch.Results[1].RejectedEvent.Status}

	access := client.PlatformsSignInAndTokensAPI.PostAccess(anonymous)
	ofCode := *flowhooks.NewPostAccessRequest("authorization_code")
	ofCode.SetCode(os.Getenv("CODE"))
	tokens := must(access.PostAccessRequest(ofCode).Execute())
	refresh := *flowhooks.NewPostAccessRequest("refresh_token")
	refresh.SetRefreshToken(tokens.RefreshToken)
	refreshed := must(access.PostAccessRequest(refresh).Execute())
	introspection := *flowhooks.NewPostRevokeRequest(refreshed.AccessToken)
	introspected := must(client.PlatformsSignInAndTokensAPI.PostIntrospect(admin).PostRevokeRequest(introspection).Execute())

	user := context.WithValue(anonymous, flowhooks.ContextAccessToken, refreshed.AccessToken)
	listener := *flowhooks.NewPostApiHooksSubscribeFlowsRequest(os.Getenv("HOOK_URL"), "order.*")
	listener.SetFilter(map[string]any{"data.total": map[string]any{"$gt": 40}})
	listener := must(client.PlatformsListenersAPI.PostApiHooksSubscribeFlows(user).Orgid(tokens.GetOrgId()).Userid(tokens.GetUserId()).
		PostApiHooksSubscribeFlowsRequest(listener).Execute())

	_, refused, _ := client.OperatorsReplaysAPI.GetAdminApiReplaysById(admin, "9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c").Execute()

	answers, _ := json.Marshal(map[string]any{
		"example": declared.Example, "schema": listed.Items[0].Schema,
		"published": published.PublishedEvent.Id, "batch": statuses,
		"user": tokens.GetUserId(), "active": introspected.Active,
		"filter": listener.Filter, "transform": listener.Transform.Get(), "refused": refused.StatusCode,
	})
	fmt.Println(string(answers))
}
