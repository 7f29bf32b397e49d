"""Makes the calls of calls.ts with the client that openapi-generator makes."""

import json
import os

import flow_hooks_generated as generated

origin, admin_key, code = (os.environ[name] for name in ("ORIGIN", "ADMIN_KEY", "CODE"))


def client(token: str | None = None) -> generated.ApiClient:
    return generated.ApiClient(generated.Configuration(host=origin, access_token=token))


admin = client(admin_key)
event_types = generated.OperatorsEventTypesApi(admin)
declared = event_types.declare_event_type(
    generated.DeclareEventTypeRequest(
        name="order.paid",
        description="An order was paid",
        var_schema={"type": "object", "required": ["total"]},
        example={"total": 42},
    )
)
listed = event_types.list_event_types()

producer = generated.ProducersFlowEventsApi(admin)
published = producer.publish_flow_event(
    generated.EventToPublish(org_id="acme", type="order.paid", id="order-1", data={"total": 42})
)
batch = producer.publish_flow_events(
    [
        generated.EventToPublish(org_id="acme", type="order.paid", id="order-2", data=[1, "two", None]),
        generated.EventToPublish(type="order.paid", id="order-3", data=3),
    ]
)

tokens = generated.PlatformsSignInAndTokensApi(client())
first = tokens.exchange_code(generated.ExchangeCodeRequest(grant_type="authorization_code", code=code))
second = tokens.exchange_code(
    generated.ExchangeCodeRequest(grant_type="refresh_token", refresh_token=first.refresh_token)
)
introspected = generated.PlatformsSignInAndTokensApi(admin).introspect_token(
    generated.IntrospectTokenRequest(token=second.access_token)
)

listener = generated.PlatformsListenersApi(client(second.access_token)).subscribe(
    generated.SubscribeRequest(
        hook_url=os.environ["HOOK_URL"], subscription_type="order.*", filter={"data.total": {"$gt": 40}}
    ),
    orgid=first.org_id,
    userid=first.user_id,
)

try:
    generated.OperatorsReplaysApi(admin).show_replay("9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c")
except generated.ApiException as exception:
    refused = exception.status

print(
    json.dumps(
        {
            "example": declared.example,
            "schema": listed.items[0].var_schema,
            "published": published.id,
            "batch": [each.actual_instance.status for each in batch.results],
            "user": first.user_id,
            "active": introspected.active,
            "filter": listener.filter,
            "transform": listener.transform,
            "refused": refused,
        }
    )
)
