import com.google.gson.GsonBuilder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

/** Makes the calls of calls.ts with the client that openapi-generator makes. */
class Calls {
  public static void main(String[] args) throws ApiException {
    ApiClient admin = client("adminKey", System.getenv("ADMIN_KEY"));
    OperatorsEventTypesApi eventTypes = new OperatorsEventTypesApi(admin);
    ChangedEventType declared =
        eventTypes.declareEventType(
            new DeclareEventTypeRequest()
                .name("order.paid")
                .description("An order was paid")
                .schema(Map.of("type", "object", "required", List.of("total")))
                .example(Map.of("total", 42)));
    ListEventTypesAnswer listed = eventTypes.listEventTypes(null, null);

    ProducersFlowEventsApi producer = new ProducersFlowEventsApi(admin);
    Published published =
        producer.publishFlowEvent(event("order-1", Map.of("total", 42)).orgId("acme"), null, null);
    PublishedBatch batch =
        producer.publishFlowEvents(
            List.of(event("order-2", Arrays.asList(1, "two", null)).orgId("acme"), event("order-3", 3)), null, null);

    PlatformsSignInAndTokensApi tokens = new PlatformsSignInAndTokensApi(client("accessToken", null));
    ExchangeCodeAnswer first =
        tokens.exchangeCode(
            new ExchangeCodeRequest()
                .grantType(ExchangeCodeRequest.GrantTypeEnum.AUTHORIZATION_CODE)
                .code(System.getenv("CODE")));
    ExchangeCodeAnswer second =
        tokens.exchangeCode(
            new ExchangeCodeRequest()
                .grantType(ExchangeCodeRequest.GrantTypeEnum.REFRESH_TOKEN)
                .refreshToken(first.getRefreshToken()));
    IntrospectTokenAnswer introspected =
        new PlatformsSignInAndTokensApi(admin)
            .introspectToken(new IntrospectTokenRequest().token(second.getAccessToken()));

    SubscribeAnswer listener =
        new PlatformsListenersApi(client("accessToken", second.getAccessToken()))
            .subscribe(
                new SubscribeRequest()
                    .hookUrl(System.getenv("HOOK_URL"))
                    .subscriptionType("order.*")
                    .filter(Map.of("data.total", Map.of("$gt", 40))),
                first.getOrgId(),
                first.getUserId());

    int refused = 0;
    try {
      new OperatorsReplaysApi(admin).showReplay(UUID.fromString("9a4f6c1b-3d2e-4f5a-8b7c-6d5e4f3a2b1c"));
    } catch (ApiException exception) {
      refused = exception.getCode();
    }

    Map<String, Object> answers = new LinkedHashMap<>();
    answers.put("example", declared.getExample());
    answers.put("schema", listed.getItems().get(0).getSchema());
    answers.put("published", published.getId());
    answers.put("batch", batch.getResults().stream().map(Calls::statusOf).collect(Collectors.toList()));
    answers.put("user", first.getUserId());
    answers.put("active", introspected.getActive());
    answers.put("filter", listener.getFilter());
    answers.put("transform", listener.getTransform());
    answers.put("refused", refused);
    System.out.println(new GsonBuilder().serializeNulls().create().toJson(answers));
  }

  private static String statusOf(PublishedResult result) {
    Object event = result.getActualInstance();
    return event instanceof AcceptedEvent
        ? ((AcceptedEvent) event).getStatus().getValue()
        : ((RejectedEvent) event).getStatus().getValue();
  }

  private static EventToPublish event(String id, Object data) {
    return new EventToPublish().type("order.paid").id(id).data(data);
  }

  private static ApiClient client(String scheme, String token) {
    ApiClient client = new ApiClient().setBasePath(System.getenv("ORIGIN"));
    ((HttpBearerAuth) client.getAuthentication(scheme)).setBearerToken(token);
    return client;
  }
}
