// Makes the calls of calls.ts with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"generated/oapi"

	"github.com/google/uuid"
)

func must[T any](answer T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func client(token string) *oapi.ClientWithResponses {
	authorise := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	return must(oapi.NewClientWithResponses(os.Getenv("ORIGIN"), oapi.WithRequestEditorFn(authorise)))
}

func main() {
	background := context.Background()
	admin := client(os.Getenv("ADMIN_KEY"))
	acme := "acme"

	declared := must(admin.DeclareEventTypeWithResponse(background, oapi.DeclareEventTypeJSONRequestBody{
		Name: "order.paid", Description: "An order was paid",
		Schema:  map[string]any{"type": "object", "required": []string{"total"}},
		Example: map[string]any{"total": 42},
	})).JSON201
	listed := must(admin.ListEventTypesWithResponse(background, nil)).JSON200

	ids := []string{"order-1", "order-2", "order-3"}
	published := must(admin.PublishFlowEventWithResponse(background, nil, oapi.PublishFlowEventJSONRequestBody{
		OrgId: &acme, Type: "order.paid", Id: &ids[0], Data: map[string]any{"total": 42},
	})).JSON202
	batch := must(admin.PublishFlowEventsWithResponse(background, nil, oapi.PublishFlowEventsJSONRequestBody{
		{OrgId: &acme, Type: "order.paid", Id: &ids[1], Data: []any{1, "two", nil}},
		{Type: "order.paid", Id: &ids[2], Data: 3},
	})).JSON202
	accepted := must(batch.Results[0].AsAcceptedEvent())
	rejected := must(batch.Results[1].AsRejectedEvent())

	code := os.Getenv("CODE")
	anonymous := client("")
	tokens := must(anonymous.ExchangeCodeWithFormdataBodyWithResponse(background, oapi.ExchangeCodeFormdataRequestBody{
		GrantType: "authorization_code", Code: &code,
	})).JSON200
	refreshed := must(anonymous.ExchangeCodeWithResponse(background, oapi.ExchangeCodeJSONRequestBody{
		GrantType: "refresh_token", RefreshToken: &tokens.RefreshToken,
	})).JSON200
	introspected := must(admin.IntrospectTokenWithFormdataBodyWithResponse(background, oapi.IntrospectTokenFormdataRequestBody{
		Token: refreshed.AccessToken,
	})).JSON200

	filter := map[string]any{"data.total": map[string]any{"$gt": 40}}
	listener := must(client(refreshed.AccessToken).SubscribeWithResponse(background,
		&oapi.SubscribeParams{Orgid: tokens.OrgId, Userid: tokens.UserId},
		oapi.SubscribeJSONRequestBody{
			HookUrl: os.Getenv("HOOK_URL"), SubscriptionType: "order.*", Filter: &filter,
		})).JSON201

	refused := must(admin.ShowReplayWithResponse(background, uuid.MustParse("9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c")))

	answers, _ := json.Marshal(map[string]any{
		"example": declared.Example, "schema": listed.Items[0].Schema,
		"published": published.Id, "batch": []any{accepted.Status, rejected.Status},
		"user": tokens.UserId, "active": introspected.Active,
		"filter": listener.Filter, "transform": listener.Transform, "refused": refused.StatusCode(),
	})
	fmt.Println(string(answers))
}
