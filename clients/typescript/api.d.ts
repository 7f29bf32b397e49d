// Generated from /openapi.json of a running service with `npm run generate -- URL`. Do not edit it.

export interface paths {
    "/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a code or a refresh token for tokens
         * @description The code comes from the sign-in that `GET /oauth2` begins, and works once. As soon as a client is registered, its credentials and the `redirect_uri` of the code are checked. A refresh token is exchanged as at `POST /refresh`: OAuth clients know one token endpoint only (RFC 6749 §3.2).
         */
        post: operations["exchangeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for new tokens
         * @description Both tokens are new. The previous refresh token gives the same new one for a while, in case the answer was lost; after that, its use ends the session.
         */
        post: operations["refreshTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check a token
         * @description Accepts an access token, an API key, an admin key, or an identity token of a trusted issuer (`TRUSTED_ISSUERS`). With `orgid`, `userid` or `scope`, it is refused if it is for another organisation or user, or lacks a scope. `POST /introspect` says what a token is for.
         *
         *     Credentials: an access token, or an API key, or an admin key with the role `viewer`.
         */
        get: operations["checkToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what the credentials are for
         * @description Caller, organisation and permissions of an access token, an API key or an admin key.
         *
         *     Credentials: an access token, or an API key, or an admin key with the role `viewer`.
         */
        get: operations["whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of a token
         * @description Revokes an access token or a refresh token ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)). An unknown token gets the same answer.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the state of a token
         * @description [RFC 7662](https://www.rfc-editor.org/rfc/rfc7662). An admin key may ask for every token and API key, a client with a secret for its own tokens, an API key for itself.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key, or client credentials.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the public keys of the access tokens
         * @description A JWK set ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517)).
         */
        get: operations["showPublicKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/subscribe/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a listener
         * @description Every flow event of the organisation that the `subscriptionType` selects is then delivered to the hook URL. A repeat with the same subscription gets the same answer, and changes nothing except that it resumes a paused listener. Another subscription replaces the present one, which is then in `replaced`, and resumes the listener too. Unknown fields are ignored.
         *
         *     Credentials: an access token with the scope `listeners`, or an API key with the scope `listeners:write`.
         */
        post: operations["subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/unsubscribe/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a listener
         * @description After the answer, no delivery to the listener starts. A repeat for a removed listener gets the same answer; a hook URL that was never registered gets the error `listener_not_found`.
         *
         *     Credentials: an access token with the scope `listeners`, or an API key with the scope `listeners:write`.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/listeners/{listenerId}/public-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the public keys of a listener
         * @description They verify the signatures `v1a` of its deliveries ([Standard Webhooks](https://www.standardwebhooks.com), Ed25519): one key, or two after a rotation. Without credentials: the keys are public, and a listener ID cannot be guessed. The answer may be a minute old.
         */
        get: operations["showPublicKeysOfListener"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a flow event
         * @description Every listener of the organisation whose `subscriptionType` selects the type receives it. Publishing again with the same `id` has no effect, so a request whose answer was lost can be repeated. The event may have at most `MAX_EVENT_BYTES`.
         *
         *     CloudEvents 1.0 are accepted in structured mode, in binary mode (`ce-` headers beside any JSON or text), and as a batch, which is answered as `POST /api/flows/batch` answers.
         *
         *     Credentials: an API key with the scope `flows:publish`, or an access token with the scope `flows:publish`, or an admin key with the role `operator`.
         */
        post: operations["publishFlowEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish many flow events
         * @description At most 1000 events, and 4 MiB. The answer has a result for each event, in order; invalid events are rejected one by one. Newline-delimited JSON, an event in each line, is accepted too (application/x-ndjson, application/ndjson, application/jsonl); results then have the number of their line. After an error answer, some of the events may be stored: repeat the whole batch, with the same ids.
         *
         *     Credentials: an API key with the scope `flows:publish`, or an access token with the scope `flows:publish`, or an admin key with the role `operator`.
         */
        post: operations["publishFlowEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/subscription-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the subscription types to choose from
         * @description All events, and each declared event type, sorted by name; or the values of `SUBSCRIPTION_TYPES`. If there are more than `limit`, the answer has the header `Link`. Without credentials: it contains names, no data.
         */
        get: operations["listSubscriptionTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/perform-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what listeners receive
         * @description Samples, each exactly as listeners receive them. A caller that identifies itself gets the latest flow events of its organisation, the latest first; if it has none, samples of the declared event types, else a static one; with `transform`, the results of the expression. Without accepted credentials the samples are static, for any query: platforms request them before a user has signed in.
         *
         *     Credentials: none, or an access token with the scope `listeners`, or an API key with the scope `listeners:read`.
         */
        get: operations["listSampleEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the listeners of an organisation
         * @description Its current listeners, active and paused.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key with the scope `listeners:read`.
         */
        get: operations["listListeners"];
        put?: never;
        /**
         * Register a listener, or change its subscription
         * @description Registers as a platform does. A listener at the same hook URL keeps its ID, and gets the subscription of the request; a paused one is resumed.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["subscribeListener"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a listener
         * @description Its deliveries are held. A repeat changes nothing.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["pauseListener"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a listener
         * @description With `redeliverHeld` its held deliveries are made due too; otherwise they stay held until they are redelivered.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["resumeListener"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret of a listener
         * @description Deliveries are signed with both secrets for `overlapHours`.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["rotateListenerSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a listener
         * @description Its waiting and held deliveries are cancelled. Only the platform can register it again.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["unsubscribeListener"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample flow event to a listener
         * @description The event has the type that the listener subscribes to. It is attempted once.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["testListener"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what a listener would receive of a flow event
         * @description Applies the subscription type, the filter and the transformation of the present listener. Nothing is sent or recorded.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        post: operations["tryListener"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search listeners
         * @description Current listeners of all organisations or one, the latest registered first; in the state `ended`, removed ones. `troubled`: deliveries to them fail or wait. For a part of a URL, a limited number of listeners is examined for each page (`searched`): a page may be empty and have a next one. It is a POST because the hook URL is a capability and must not appear in access logs.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        post: operations["searchListeners"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a listener
         * @description Current or ended. It reflects every change that has been answered.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showListener"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a listener
         * @description The latest first, of all listeners of its URL in the organisation, read from the events.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showListenerTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/as-of": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a listener at an instant
         * @description The listener of its URL at that time, read from the events. It changes nothing.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        post: operations["showListenerAsOf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/{listenerId}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change order and rate of a listener
         * @description A field that is left out stays unchanged. The listener stays active or paused.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["changeListenerOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description An organisation's deliveries, those of the latest flow events first. A page may have fewer items than `limit`, and still have a next one. In a list with `from`, the deliveries of replays come last.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key with the scope `deliveries:read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/deliveries/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count deliveries by state
         * @description Counts of all organisations together.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["countDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a delivery with its attempts
         * @description Credentials: an admin key with the role `viewer`, or an API key with the scope `deliveries:read`.
         */
        get: operations["showDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/deliveries/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver several deliveries
         * @description Makes deliveries due now. They are selected by `ids`, or by a filter, which selects dead letters if it names no `states`; one request takes one page. Deliveries whose listeners are paused or removed stay as they are.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["redeliverDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver a delivery
         * @description Makes it due now, in any state; the numbers of its attempts continue.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["redeliverDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the results of attempts by listener and by day
         * @description Days are in UTC, both included. Without `to` until today; without `from` the 30 days until `to`. Of one listener also by half hour.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/deliveries/{id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the request of a delivery
         * @description The request as it was sent at the latest attempt, without the hook URL and the signature. The body is the same at each attempt. Of a listener with a transformation, it is the event to which that is applied: its result is not kept.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showSentRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search flow events
         * @description An organisation's flow events that the fan-out has processed, the latest first. `type` selects as a subscription type does (`flow.completed`, `flow.*`); `from` and `to` limit the time of recording. A page may have fewer items than `limit`, and still have a next one.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
         */
        get: operations["listFlowEvents"];
        put?: never;
        /**
         * Publish a flow event
         * @description Works as `POST /api/flows`, with its limits: it is recorded once for each organisation and `id`; publishing it again has no effect.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["publishFlowEventAsOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/flows/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a flow event with its content
         * @description Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
         */
        get: operations["showFlowEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/flows/{eventId}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain the deliveries of a flow event
         * @description The outcome for each listener of an organisation, with its reason. It changes nothing; it is a POST because the hook URL is a capability and must not appear in access logs.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
         */
        post: operations["explainFlowEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the flow events of an organisation in order
         * @description Each event once, in the order of recording, from any position; the service keeps no state for a reader. A page may have fewer items than `limit`, or none. Where events were deleted or erased, an item says so. A cursor is for one organisation, and is valid as long as the master key that made it. An event that is published again with the same `id` in another flow can come twice.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`, or an access token with the scope `listeners`.
         */
        get: operations["readEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a filter and a transformation on past flow events
         * @description Applies a subscription to the flow events of the last `days`, as if it had been registered all that time. Nothing is sent or recorded. A page has at most 5,000 events, 16 MiB of them, and a second of work: `next` continues.
         *
         *     Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
         */
        post: operations["trySubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the declared event types
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["listEventTypes"];
        put?: never;
        /**
         * Declare an event type
         * @description Declaring one that was retired continues its versions.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["declareEventType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/event-types/show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an event type
         * @description Also one that was retired.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showEventType"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/event-types/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of an event type
         * @description Its versions, the latest first, read from the events; also of one that was retired.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showEventTypeTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/event-types/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change an event type
         * @description Makes its next version. Fields that are left out stay as they are.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["changeEventType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/event-types/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retire an event type
         * @description The type is no longer offered to platforms, and data is no longer checked against it. Flow events of the type can still be published.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["retireEventType"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List replays
         * @description Replays of all organisations, one, or one listener; in the order of their start, or the latest first.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listReplays"];
        put?: never;
        /**
         * Start a replay
         * @description Sends past flow events to one listener again: those recorded from `from` to `to` of a `type`, or the one of `eventId`. The listener is named by `listenerId` or `hookUrl`. A repeat with the same `id` starts no second replay.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["startReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of a replay
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["showReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/replays/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a replay
         * @description Its waiting and held deliveries are cancelled; attempts in progress are completed.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["cancelReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List every change to an organisation's listeners, in order
         * @description It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        post: operations["showHistory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit/service-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes to clients, keys and event types, and erasures, in order
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["showServiceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit/as-of": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show an organisation's listeners at a time or position
         * @description It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        post: operations["showAsOf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit/difference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare an organisation at two times or positions
         * @description Its listeners, its integration task, its settings and its API keys, read from the events. It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        post: operations["showDifference"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/organisations/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the settings of an organisation
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["showOrganisationSettings"];
        put?: never;
        /**
         * Change the settings of an organisation
         * @description Fields that are left out stay as they are. Existing listeners do not change.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["changeOrganisationSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/organisations/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase an organisation
         * @description Deletes all its data: listeners, deliveries, sessions, API keys, portal links and their sessions, replays and flow events. It cannot be undone. A repeat completes an interrupted erasure.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["eraseOrganisation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organisations
         * @description Organisations with at least one listener, session, consent, task, setting or API key, now or in the past, in the order of their IDs. One that only publishes flow events is not listed.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listOrganisations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/portal-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link to the portal of an organisation
         * @description A company's back end requests a link for a user whom it has signed in, and opens it in a frame or a tab. Until it expires, the link opens one session: treat it as a password. `user` names the user in the history; without it the organisation is named.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["createPortalLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the integration task in effect
         * @description The task of the organisation, else the default of the whole service.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/tasks/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an integration task
         * @description It allows new listeners once it is active.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["registerTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/tasks/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate an integration task
         * @description Credentials: an admin key with the role `operator`.
         */
        post: operations["activateTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/tasks/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate an integration task
         * @description New listeners are refused; existing listeners are unchanged.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["deactivateTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/tasks/registered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the registered integration tasks
         * @description The default of the service, and those of organisations, in the order of their streams.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Sessions with all given properties. One that has expired is `active` until it is revoked or deleted. A page may have fewer items than `limit`, and still have a next one.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/sessions/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke sessions
         * @description Names a session by `sessionId`, or several by one or more of `orgId`, `userId` and `clientId`. The answer lists the revoked sessions; `next` is the `after` of the next call.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["revokeSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the consents in an organisation
         * @description All of them, or with `userId` those of one user.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/consents/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a consent
         * @description The user is asked again at the next sign-in.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["withdrawConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the registered clients
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Register a client
         * @description The answer alone contains the generated `clientSecret`.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["registerClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{clientId}/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change a client
         * @description Fields that are left out stay as they are.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["changeClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{clientId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a client
         * @description The answer alone contains the generated `clientSecret`.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["rotateClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{clientId}/end-previous-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the previous secret of a client
         * @description From then on only the current secret is accepted.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["endPreviousClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/clients/{clientId}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a client
         * @description Its users cannot sign in or refresh their tokens any more.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["removeClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description All of them, or with `orgId` those of one organisation.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer alone contains the key, in `key`.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/api-keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description It is refused at once on every instance. A repeat changes nothing.
         *
         *     Credentials: an admin key with the role `owner`.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the views
         * @description The position of each view, and its running or unfinished rebuild.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listViews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a view
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["showView"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views/{name}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a rebuild of a view
         * @description Runs on this instance, in the background. The live view is used until the new build takes over.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["rebuildView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views/{name}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the rebuild of a view
         * @description Works on any instance. The live view is unchanged.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["cancelRebuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views/{name}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave an event out of a view
         * @description Serves for an event that stops the view. A view that has handled it keeps the result until it is rebuilt.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["skipEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views/{name}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a view on this instance
         * @description Folds all events again, into a temporary directory of this instance, and compares the documents with those of the live view.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["startVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/views/{name}/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the running verification of a view, and the last result
         * @description Credentials: an admin key with the role `viewer`.
         */
        get: operations["showVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/set-aside": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the set-aside events
         * @description Events that the fan-out could not decode, in the order of their positions.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listSetAside"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/set-aside/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry set-aside events
         * @description One (`stream` and `revision`), or a page of all; `next` in the answer is the `after` of the next request.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["retrySetAside"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the activity of the service by minute
         * @description Activity of all organisations and instances together: the latest minutes, of which the last is the current one. The activity of a day is kept.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/listeners-in-trouble": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List listeners whose deliveries do not get through
         * @description Listeners of all organisations: first those whose circuit breaker is open (`breaker`), then listeners that failed until they were paused (`paused`), then listeners with deliveries that are due for more than a minute (`overdue`), the longest first. A listener that waits for its own rate is not in trouble.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listListenersInTrouble"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/backlog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count waiting and held deliveries by listener
         * @description Listeners of an organisation or of all, those with the most first.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listBacklog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of this instance
         * @description The instance that answers: its version, its tasks, and whether each part of it is ready. Without any secret.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["showService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signing keys and master keys
         * @description Keys of this instance and of the record, without key material.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/operations/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the types of operational events
         * @description The types of events that the service publishes for its operators, with the schema and an example of the data of each type.
         *
         *     Credentials: an admin key with the role `viewer`.
         */
        get: operations["listOperationalTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/operations/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Subscribe to operational events
         * @description Registers a listener of the organisation `flow-hooks.operations`, which gets the operational events of all organisations. The subscription type names one type, or a prefix such as `listener.*`. The listener is operated as any other.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["subscribeOperations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a seal of the history
         * @description A signed digest of every listener, session, API key and consent up to now, by which later changes are found. The whole history is read before the answer begins, at about 50,000 events a second; one seal at a time on each instance.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["makeSeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/audit/seals/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare the history with a seal
         * @description The body is the file of a seal, at most 256 MiB. It changes nothing.
         *
         *     Credentials: an admin key with the role `operator`.
         */
        post: operations["checkSeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether the process runs
         * @description For supervisors that restart a process that hangs.
         */
        get: operations["checkHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether the service is ready
         * @description For load balancers: whether the instance can do its work, part by part.
         */
        get: operations["checkReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the metrics of this instance
         * @description In the text format of Prometheus.
         */
        get: operations["showMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show this description
         * @description The description in the form of [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html). `/docs` shows it to people.
         */
        get: operations["showApiDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptedEvent: {
            /**
             * @description It is recorded, now or earlier under the same id. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "accepted";
            id: string;
            line?: number;
            /** @description True: an event with this id was published before with another content, which is kept and delivered. */
            differs?: boolean;
            /** @description The difference between the data and the declared event type. */
            warning?: string;
        };
        ActivateTaskRequest: {
            /**
             * @description Null, or left out: the default of the whole service.
             * @default null
             */
            orgId?: string | null;
        };
        Activity: {
            total: {
                /** @description Number of flow events that the fan-out has processed. */
                events: number;
                /** @description Number of successful attempts. */
                succeeded: number;
                /** @description Number of failed attempts. */
                failed: number;
                /** @description Number of deliveries whose attempts were used up. */
                exhausted: number;
                /** @description Time from recording a flow event to a success at the first attempt. */
                latencyMs: components["schemas"]["Percentiles"];
                /** @description Duration of an attempt. */
                durationMs: components["schemas"]["Percentiles"];
            };
            minutes: {
                /**
                 * Format: date-time
                 * @description The beginning of the minute.
                 */
                at: string;
                /** @description Number of flow events that the fan-out has processed. */
                events: number;
                /** @description Number of successful attempts. */
                succeeded: number;
                /** @description Number of failed attempts. */
                failed: number;
                /** @description Number of deliveries whose attempts were used up. */
                exhausted: number;
                /** @description Time from recording a flow event to a success at the first attempt. */
                latencyMs: components["schemas"]["Percentiles"];
                /** @description Duration of an attempt. */
                durationMs: components["schemas"]["Percentiles"];
            }[];
        };
        /** @description An API key, without the key itself. */
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Null: every organisation. */
            orgId: string | null;
            /** @description Some of flows:publish, flows:read, listeners:read, listeners:write, deliveries:read. */
            scopes: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** @enum {string} */
            state: "active" | "expired" | "revoked";
            createdBy: string | null;
            revokedBy: string | null;
        };
        /** @description One request to a listener. */
        Attempt: {
            /** Format: date-time */
            startedAt: string | null;
            durationMs: number;
            status: number | null;
            error: string | null;
            /** @description The first bytes of the answer's body, as text. */
            answer: string | null;
            /** @description Headers of the answer to a failed attempt, a retry or a test, a line each: the first KiB, without secrets and the hook URL. */
            headers: string | null;
            /** @description The network address that the request was sent to. */
            address: string | null;
        };
        AuditDifference: {
            /**
             * @description `undecodable`: an event up to the later moment cannot be decoded, so that the state is not known.
             * @enum {string}
             */
            change: "added" | "removed" | "changed" | "undecodable";
            /** @enum {string} */
            kind: "listener" | "integrationTask" | "organisation" | "apiKey";
            /** @description The ID of the listener or the API key; of other objects the stream. */
            id: string;
            /** @description Null where it did not exist. */
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
            /** @description The names of the fields that differ; empty unless it was changed. */
            fields: string[];
            /**
             * Format: date-time
             * @description The time of the last event up to the later moment.
             */
            changedAt: string | null;
            changedBy: string | null;
            stream: string;
            /** @description The reason why an event cannot be decoded. */
            message: string | null;
        };
        /** @description One recorded event. */
        AuditEntry: {
            /** @description Time at which the event was recorded. */
            at: string;
            type: string;
            /** @description `user:42`, `admin:ops`, `api-key:<ID>`; null where the event names no actor. */
            actor: string | null;
            /** @description The name of the API key that is the actor; null for other actors. */
            actorName: string | null;
            causationId: string | null;
            /** @description The ID of the request. */
            correlationId: string | null;
            orgId: string | null;
            userId: string | null;
            listenerId: string | null;
            hookUrl: string | null;
            /** @description The session of a user; or of the portal: the ID of the link that opened it. */
            sessionId: string | null;
            clientId: string | null;
            apiKeyId: string | null;
            /** @description The name of the event type that the event concerns. */
            eventType: string | null;
            /** @description The state before the event; null: nothing existed. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The state after the event; null: nothing exists any more. */
            after: {
                [key: string]: unknown;
            } | null;
            reason: string | null;
            /** @description The reason why the event cannot be decoded; null if it can. */
            undecodable: string | null;
            stream: string;
            revision: string;
            eventId: string;
            position: string;
        };
        CancelledRebuild: {
            name: string;
            /**
             * @description `asked`: the process that works on it stops within seconds. `dropped`: the unfinished build was deleted. `none`: there was no rebuild.
             * @enum {string}
             */
            cancelled: "asked" | "dropped" | "none";
        };
        CancelledReplay: {
            /** Format: uuid */
            id: string;
            orgId: string;
            /** Format: uuid */
            listenerId: string;
            /** Format: date-time */
            from: string | null;
            /** Format: date-time */
            to: string | null;
            /** @description The subscription type that selects its flow events; null: every type. */
            type: string | null;
            /** @description The only flow event that it sends; null: it sends several. */
            event: {
                stream: string;
                revision: string;
            } | null;
            ratePerSecond: number;
            /** Format: date-time */
            startedAt: string;
            /** @description Number of flow events examined. */
            lookedAt: number;
            /** @description Number of deliveries enqueued. */
            enqueued: number;
            /** @description The last flow event that it has examined. */
            reached: {
                stream: string;
                revision: string;
            } | null;
            /** @enum {string} */
            state: "running" | "completed" | "cancelled";
            /** Format: date-time */
            progressedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            /** @description The reason of the cancellation. */
            reason: string | null;
            startedBy: string | null;
            endedBy: string | null;
            percent: number;
            /** @description Estimate; null if unknown. */
            secondsLeft: number | null;
            /** @description Number of deliveries that were cancelled. */
            cancelled: number;
        };
        ChangeClientRequest: {
            name?: string | null;
            redirectUris?: string[] | null;
            scopes?: ("listeners" | "flows:publish")[] | null;
        };
        ChangeEventTypeRequest: {
            name: string;
            description?: string | null;
            /** @description JSON Schema, draft 2020-12, of the data; null: any data. */
            schema?: unknown;
            /** @description An example of the data, which the schema accepts; null: none. */
            example?: unknown;
            /** @description Paths of values, such as `data.order.number`, by which flow events of this type are found, besides their ID and flowId: at most 10. A change applies to events that are published at least a second later. */
            searchable?: string[] | null;
        };
        ChangeListenerOptionsRequest: {
            /** @description One delivery at a time, in the order of the flow events. */
            ordered?: boolean | null;
            /** @description Maximum deliveries per second; null: the service-wide limit for each listener. */
            ratePerSecond?: number | null;
        };
        ChangeOrganisationSettingsRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered?: boolean | null;
            /** @description Maximum deliveries per second; null: the service-wide limit for each listener. */
            ratePerSecond?: number | null;
            /**
             * @description The check of published flow events against their declared types.
             * @enum {string|null}
             */
            eventTypeCheck?: "off" | "warn" | "refuse" | null;
        };
        ChangedApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Null: every organisation. */
            orgId: string | null;
            /** @description Some of flows:publish, flows:read, listeners:read, listeners:write, deliveries:read. */
            scopes: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** @enum {string} */
            state: "active" | "revoked";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        ChangedClient: {
            clientId: string;
            name: string;
            /** @enum {string} */
            type: "confidential" | "public";
            redirectUris: string[];
            scopes: ("listeners" | "flows:publish")[];
            /** Format: date-time */
            registeredAt: string;
            /** @description The valid secrets, the current one first; never the secrets themselves. */
            secrets: {
                /** Format: date-time */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Null: until an operator ends it.
                 */
                until: string | null;
            }[];
            /** @description A secret that was generated. It is shown here only. */
            clientSecret?: string;
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        ChangedConsent: {
            /** Format: uuid */
            consentId: string;
            clientId: string;
            orgId: string;
            userId: string;
            scopes: string[];
            grantedAt: string;
            /** @enum {string} */
            state: "granted" | "withdrawn";
            withdrawnAt?: string;
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        ChangedEventType: {
            name: string;
            /** @enum {string} */
            state: "declared" | "retired";
            /** @description The number of the version; each change adds 1. */
            version: number;
            description: string;
            /** @description JSON Schema (draft 2020-12) of the data; null: any data. */
            schema: unknown;
            /** @description An example of the data; null: none. */
            example: unknown;
            /** @description Paths of the values by which its flow events are found. */
            searchable: string[];
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        ChangedIntegrationTask: {
            /** @enum {string} */
            state: "inactive" | "active";
            /** @description Null: the default of the whole service. */
            orgId: string | null;
            name: string;
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        /** @description The listener after a change. */
        ChangedListener: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /** @enum {string} */
            state: "active" | "paused" | "unsubscribed";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        ChangedOrganisationSettings: {
            orgId: string;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /**
             * @description The treatment of flow events that do not match their declared type.
             * @enum {string}
             */
            eventTypeCheck: "off" | "warn" | "refuse";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        CheckHealthAnswer: {
            /** @constant */
            status: "ok";
        };
        CheckTokenAnswer: {
            /** @constant */
            success: 1;
        };
        CloudEvent: {
            /** @constant */
            specversion: "1.0";
            /** @description The `id` of the flow event: unique in the organisation, whatever the source. */
            id: string;
            /** @description Kept in the history; not delivered. */
            source: string;
            type: string;
            /**
             * Format: date-time
             * @description The `occurredAt` of the flow event.
             */
            time?: string | null;
            /** @description Kept in the history; not delivered. */
            subject?: string | null;
            datacontenttype?: string | null;
            dataschema?: string | null;
            /** @description Extension: the `orgId` of the flow event. Optional if the credentials contain it. */
            orgid?: string | null;
            /** @description Extension: the `flowId` of the flow event. */
            flowid?: string | null;
            /** @description Any JSON; without it `null` is delivered. */
            data?: unknown;
        } & {
            [key: string]: unknown;
        };
        /** @description The agreement of a user that a client acts for them in an organisation. */
        Consent: {
            /** Format: uuid */
            consentId: string;
            clientId: string;
            orgId: string;
            userId: string;
            scopes: string[];
            grantedAt: string;
            /** @enum {string} */
            state: "granted" | "withdrawn";
            withdrawnAt?: string;
        };
        CreateApiKeyRequest: {
            name: string;
            orgId: string | null;
            scopes: ("flows:publish" | "flows:read" | "listeners:read" | "listeners:write" | "deliveries:read")[];
            /** Format: date-time */
            expiresAt?: string | null;
        };
        CreatePortalLinkAnswer: {
            /**
             * Format: uri
             * @description Absolute, with a token in its query: no log of the service contains it.
             */
            url: string;
            /**
             * Format: date-time
             * @description The link can be opened until then; ISO 8601.
             */
            expiresAt: string;
        };
        CreatePortalLinkRequest: {
            orgId: string;
            /**
             * @description A viewer reads; an operator also changes listeners and publishes flow events. Without it `operator`.
             * @enum {string|null}
             */
            role?: "viewer" | "operator" | null;
            /** @description The ID of the user in the company, for the history: `portal:<user>`. */
            user?: string | null;
            /** @default 600 */
            expiresInSeconds?: number | null;
            /** @default 60 */
            sessionMinutes?: number | null;
        };
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Null: every organisation. */
            orgId: string | null;
            /** @description Some of flows:publish, flows:read, listeners:read, listeners:write, deliveries:read. */
            scopes: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** @enum {string} */
            state: "active" | "revoked";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
            /** @description The key. It is shown here only. */
            key: string;
        };
        DeactivateTaskRequest: {
            /**
             * @description Null, or left out: the default of the whole service.
             * @default null
             */
            orgId?: string | null;
            reason?: string | null;
        };
        DeclareEventTypeRequest: {
            name: string;
            description: string;
            /** @description JSON Schema, draft 2020-12, of the data; null: any data. */
            schema?: unknown;
            /** @description An example of the data, which the schema accepts; null: none. */
            example?: unknown;
            /** @description Paths of values, such as `data.order.number`, by which flow events of this type are found, besides their ID and flowId: at most 10. A change applies to events that are published at least a second later. */
            searchable?: string[] | null;
        };
        /** @description A flow event on its way to one listener. */
        Delivery: {
            /** Format: uuid */
            id: string;
            /** @description The header `webhook-id`: the same for one flow event and listener, also if it is sent again. */
            webhookId: string;
            orgId: string;
            /** Format: uuid */
            listenerId: string;
            /** @description The replay or the test to which it belongs. */
            replay?: string;
            /** @description The ID of the flow event that its producer and its listeners know. */
            eventId: string;
            /** @description The flow event's UUID in the event store. */
            storeEventId: string;
            eventType: string;
            state: components["schemas"]["DeliveryState"];
            /** @description Number of attempts so far. */
            attempts: number;
            /** Format: date-time */
            enqueuedAt: string | null;
            /** Format: date-time */
            dueAt: string | null;
            waitsFor: components["schemas"]["WaitsFor"] | null;
            /**
             * Format: date-time
             * @description Earliest end of the wait; null if the wait does not end at a known time.
             */
            waitsUntil: string | null;
            /** Format: date-time */
            lastAttemptAt: string | null;
            /** @description HTTP status of the last attempt; null without an answer. */
            lastStatus: number | null;
            /** @description The class of failure of the last attempt, such as `connect_timeout`. */
            lastError: string | null;
        };
        /** @description Up to a thousand; a filter that matches rarely counts those among the latest 5,000. */
        DeliveryCount: {
            count: number;
            /** @description False: there may be more. */
            isAll: boolean;
        };
        DeliveryCounts: {
            waiting: number;
            held: number;
            succeeded: number;
            exhausted: number;
            cancelled: number;
            /** @description Number of events that could not be decoded. */
            setAside: number;
            /**
             * Format: date-time
             * @description Time at which the longest waiting of the due deliveries became due.
             */
            oldestDueAt: string | null;
            /** @description The fan-out has handled all events up to this position; null: none. */
            fanOutPosition: string | null;
            fanOutPartitions: number;
        };
        /**
         * @description `waiting` for its next attempt, `held` while its listener is paused, `succeeded`, `exhausted` (a dead letter: its attempts are used up), or `cancelled`.
         * @enum {string}
         */
        DeliveryState: "waiting" | "held" | "succeeded" | "exhausted" | "cancelled";
        /** @description Results of attempts by listener, and by day (UTC). */
        DeliveryStats: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            total: {
                attempts: number;
                succeeded: number;
                failed: number;
                /** @description Deliveries whose attempts were used up. */
                exhausted: number;
                /** @description Average duration of an attempt; null without attempts. */
                durationMs: number | null;
            };
            listeners: {
                /** Format: uuid */
                listenerId: string;
                attempts: number;
                succeeded: number;
                failed: number;
                /** @description Deliveries whose attempts were used up. */
                exhausted: number;
                /** @description Average duration of an attempt; null without attempts. */
                durationMs: number | null;
            }[];
            days: {
                /** Format: date */
                day: string;
                attempts: number;
                succeeded: number;
                failed: number;
                /** @description Deliveries whose attempts were used up. */
                exhausted: number;
                /** @description Average duration of an attempt; null without attempts. */
                durationMs: number | null;
            }[];
            /** @description Half hours of the last 24 hours, without those in which nothing was sent; empty without `listenerId`. */
            halfHours: {
                /** Format: date-time */
                at: string;
                succeeded: number;
                failed: number;
                /** @description Deliveries whose attempts were used up. */
                exhausted: number;
            }[];
        };
        DeliveryWithAttempts: {
            /** Format: uuid */
            id: string;
            /** @description The header `webhook-id`: the same for one flow event and listener, also if it is sent again. */
            webhookId: string;
            orgId: string;
            /** Format: uuid */
            listenerId: string;
            /** @description The replay or the test to which it belongs. */
            replay?: string;
            /** @description The ID of the flow event that its producer and its listeners know. */
            eventId: string;
            /** @description The flow event's UUID in the event store. */
            storeEventId: string;
            eventType: string;
            state: components["schemas"]["DeliveryState"];
            /** @description Number of attempts so far. */
            attempts: number;
            /** Format: date-time */
            enqueuedAt: string | null;
            /** Format: date-time */
            dueAt: string | null;
            waitsFor: components["schemas"]["WaitsFor"] | null;
            /**
             * Format: date-time
             * @description Earliest end of the wait; null if the wait does not end at a known time.
             */
            waitsUntil: string | null;
            /** Format: date-time */
            lastAttemptAt: string | null;
            /** @description HTTP status of the last attempt; null without an answer. */
            lastStatus: number | null;
            /** @description The class of failure of the last attempt, such as `connect_timeout`. */
            lastError: string | null;
            /** @description The latest 100 attempts, in their order. */
            log: components["schemas"]["Attempt"][];
        };
        EraseOrganisationRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            /** @description The same ID again. */
            confirm: string;
        };
        /** @description Counts of what an erasure deleted; zeros if nothing was left to delete. */
        Erased: {
            /** @description The pseudonym of the organisation in the record of erasures. */
            organisation: string;
            /** @description Number of streams that were deleted, without flows. */
            streams: number;
            flowStreams: number;
            /** @description Flow streams of another organisation, or of none, with events that name this one: they are kept. */
            elsewhere: string[];
        };
        Error: {
            /** @description A stable code, for programs. */
            error: string;
            /** @description A text for people. */
            message: string;
            /** @description The ID of `X-Request-Id`, and in the log of the service. */
            requestId: string;
        };
        EventToPublish: {
            /** @description Optional if the credentials contain the organisation. */
            orgId?: string | null;
            type: string;
            data: unknown;
            /** @description Publishing again with the same id has no effect: the first event is kept. */
            id?: string | null;
            /** @description The flow that the event belongs to; without it the event is a new flow. */
            flowId?: string | null;
            /** Format: date-time */
            occurredAt?: string | null;
        };
        /** @description A declared type of flow events. */
        EventType: {
            name: string;
            /** @enum {string} */
            state: "declared" | "retired";
            /** @description The number of the version; each change adds 1. */
            version: number;
            description: string;
            /** @description JSON Schema (draft 2020-12) of the data; null: any data. */
            schema: unknown;
            /** @description An example of the data; null: none. */
            example: unknown;
            /** @description Paths of the values by which its flow events are found. */
            searchable: string[];
        };
        ExchangeCodeAnswer: {
            /** @description A JWT, for the header `Authorization: Bearer …`. */
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds until the access token expires. */
            expires_in: number;
            /** @description Exchange it at `POST /refresh` or `POST /access`. */
            refresh_token: string;
            /** @description The scopes of the token, where clients are registered. */
            scope?: string;
            /** @description Only in the answer to a code, like `org_id`. */
            user_id?: string;
            org_id?: string;
        };
        ExchangeCodeRequest: {
            /** @enum {string} */
            grant_type: "authorization_code" | "refresh_token";
            code?: string | null;
            code_verifier?: string | null;
            redirect_uri?: string | null;
            refresh_token?: string | null;
            scope?: string | null;
            resource?: string | null;
            client_id?: string | null;
            client_secret?: string | null;
        };
        ExplainFlowEventRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            /** Format: uuid */
            listenerId?: string | null;
            hookUrl?: string | null;
            /** @default 100 */
            limit?: number | null;
            after?: string | null;
        };
        ExplainedDelivery: {
            /** Format: uuid */
            id: string;
            replay: string | null;
            /** @enum {string} */
            outcome: "delivered" | "waiting" | "held" | "refused" | "dead-letter" | "cancelled";
            /** @description A sentence for people. */
            because: string;
            waitsFor: components["schemas"]["WaitsFor"] | null;
            /** Format: date-time */
            until: string | null;
            attempts: components["schemas"]["Attempt"][];
        };
        /** @description The outcome of a flow event for one listener, with its reason. */
        ExplainedListener: {
            /** Format: uuid */
            listenerId: string;
            /** @description Masked, unless the request names the listener by its URL. */
            hookUrl: string;
            /** @enum {string} */
            outcome: "delivered" | "waiting" | "held" | "refused" | "dead-letter" | "cancelled" | "not-subscribed" | "type-mismatch" | "filter-mismatch" | "not-handed-over" | "purged";
            /** @description A sentence for people. */
            because: string;
            /** @description The listener when the flow event was recorded. */
            details: {
                /** @enum {string} */
                state: "not-yet" | "active" | "paused" | "removed";
                subscriptionType: string | null;
                filter: {
                    [key: string]: unknown;
                } | null;
                subscribed: components["schemas"]["Moment"] | null;
                paused: components["schemas"]["Moment"] | null;
                removed: components["schemas"]["Moment"] | null;
            };
            deliveries: components["schemas"]["ExplainedDelivery"][];
        };
        Explanation: {
            event: {
                /** @description The ID that its producer and its listeners know; if it was deleted, the one in the store. */
                eventId: string;
                /** @description The flow event's UUID in the event store. */
                storeEventId: string;
                orgId: string;
                type: string;
                position: string;
            };
            items: components["schemas"]["ExplainedListener"][];
            next: string | null;
        };
        /** @description A flow event. */
        FeedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "event";
            /** @description The `after` of a request for the events that follow. */
            cursor: string;
            position: string;
            /** @description The flow event's UUID in the event store. */
            storeEventId: string;
            recordedAt: string;
            /** @description As listeners receive it, digit for digit. */
            event: {
                id: string;
                type: string;
                /** @description Time at which it occurred, if the producer gave one; else at which it was recorded. */
                timestamp: string;
                orgId: string;
                flowId: string;
                data: unknown;
            };
        };
        /** @description Flow events that are missing here. */
        FeedGap: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "gap";
            /** @description The `after` of a request for the events that follow. */
            cursor: string;
            /**
             * @description `deleted`: events here were deleted, and their number is known. `retention`: from here up to `upTo` events may be missing because of their age, and the service no longer knows how many. `erasure`: all events of the organisation up to `upTo` were erased.
             * @enum {string}
             */
            reason: "deleted" | "retention" | "erasure";
            /** @description The last position that the gap is about. */
            upTo: string;
            /** @description Number of missing events; null: unknown. */
            events: number | null;
        };
        /** @description In order of position. */
        FeedItem: components["schemas"]["FeedEvent"] | components["schemas"]["FeedGap"];
        FeedPage: {
            items: components["schemas"]["FeedItem"][];
            /** @description The `after` of the next request, also of one that waits for new events. */
            next: string;
            /** @description True: the next page can be requested at once, without `wait`. */
            more: boolean;
        };
        /** @description A flow event with its content. */
        FlowEvent: {
            /** @description The ID that its producer and its listeners know. */
            eventId: string;
            /** @description The flow event's UUID in the event store. */
            storeEventId: string;
            orgId: string;
            flowId: string;
            type: string;
            /** @description Time at which it occurred, if the producer gave one; else at which it was recorded. */
            timestamp: string;
            recordedAt: string;
            data: unknown;
            stream: string;
            revision: string;
            position: string;
            /** @description The fan-out has processed it. */
            handedOver: boolean;
            /** @description `api-key:<ID>`, `user:42`, `admin:ops`; null where a producer appended it without an actor. */
            publishedBy: string | null;
            /** @description The name of the API key that published it; null for others. */
            publisherName: string | null;
            /** @description Attributes of the CloudEvent as which it was published, such as `source`; they are not delivered. */
            cloudEvent: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A listener that a search has found. */
        FoundListener: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /**
             * @description `failing`: active, and failures were recorded; `paused-failing`: paused by the service for them.
             * @enum {string}
             */
            status: "active" | "failing" | "paused" | "paused-failing" | "replaced" | "ended";
            /**
             * Format: date-time
             * @description The time of the last change of its state or subscription.
             */
            since: string;
            health: components["schemas"]["ListenerHealth"];
        };
        /** @description The organisation may register listeners while it is active. */
        IntegrationTask: components["schemas"]["MissingIntegrationTask"] | components["schemas"]["IntegrationTaskInEffect"];
        IntegrationTaskInEffect: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            state: "inactive" | "active";
            /** @description Null: the default of the whole service. */
            orgId: string | null;
            name: string;
        };
        IntrospectTokenAnswer: {
            /** @description False: the answer has no other field. */
            active: boolean;
            iss?: string;
            /** @description The user, or `api-key:` and the ID of an API key. */
            sub?: string;
            /** @description Missing for an API key that is for every organisation. */
            org_id?: string;
            /**
             * Format: uuid
             * @description The session of a token.
             */
            sid?: string;
            client_id?: string;
            scope?: string;
            /** @description Seconds since 1970. */
            iat?: number;
            /** @description Seconds since 1970. Missing for an API key that does not expire. */
            exp?: number;
            jti?: string;
            /**
             * @description Present for access tokens and API keys.
             * @constant
             */
            token_type?: "Bearer";
            aud?: string;
        };
        IntrospectTokenRequest: {
            token: string;
            /** @description Ignored: a token shows its type. */
            token_type_hint?: string | null;
            client_id?: string | null;
            client_secret?: string | null;
        };
        /** @description A key of the service, without key material. */
        Key: {
            /** @enum {string} */
            kind: "signing" | "master";
            /** @description The thumbprint (RFC 7638) of a signing key, the generation of a master key. */
            id: string;
            /** @description `kid` of the tokens that it signs; null for a master key. */
            kid: string | null;
            /** @enum {string} */
            state: "current" | "pending" | "kept" | "retired" | "missing";
            /** @description Time from which it is current; null if unknown. */
            from: string | null;
        };
        /** @description The latest failed attempt of a listener since its last success. */
        LastFailure: {
            /** Format: date-time */
            at: string;
            status: number | null;
            error: string | null;
            /** @description The beginning of the answer's body. */
            answer: string | null;
        };
        ListApiKeysAnswer: {
            items: components["schemas"]["ApiKey"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListBacklogAnswer: {
            items: components["schemas"]["ListenerBacklog"][];
        };
        ListClientsAnswer: {
            items: components["schemas"]["RegisteredClient"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListConsentsAnswer: {
            items: components["schemas"]["Consent"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListDeliveriesAnswer: {
            items: components["schemas"]["Delivery"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
            total?: components["schemas"]["DeliveryCount"];
        };
        ListEventTypesAnswer: {
            items: components["schemas"]["EventType"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListFlowEventsAnswer: {
            items: components["schemas"]["ListedFlowEvent"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListKeysAnswer: {
            items: components["schemas"]["Key"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListListenersAnswer: {
            items: components["schemas"]["Listener"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListListenersInTroubleAnswer: {
            items: components["schemas"]["ListenerInTrouble"][];
        };
        ListOperationalTypesAnswer: {
            items: components["schemas"]["OperationalEventType"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListOrganisationsAnswer: {
            items: components["schemas"]["Organisation"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListReplaysAnswer: {
            items: components["schemas"]["Replay"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListSessionsAnswer: {
            items: components["schemas"]["Session"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListSetAsideAnswer: {
            items: components["schemas"]["SetAsideEvent"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListTasksAnswer: {
            items: components["schemas"]["RegisteredIntegrationTask"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ListViewsAnswer: {
            items: components["schemas"]["View"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        /** @description A flow event that the fan-out has processed. */
        ListedFlowEvent: {
            /** @description The ID that its producer and its listeners know; if unknown, the one in the store. */
            eventId: string;
            /** @description The flow event's UUID in the event store. */
            storeEventId: string;
            orgId: string;
            type: string;
            /** Format: date-time */
            recordedAt: string | null;
            position: string;
        };
        /** @description The current listener. */
        Listener: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /** @enum {string} */
            state: "active" | "paused";
            /** @enum {string|null} */
            pausedBy: "operator" | "failing" | null;
            /**
             * Format: date-time
             * @description The time of the last change of its state or subscription.
             */
            since: string;
            /**
             * Format: date-time
             * @description The time at which it was registered.
             */
            registeredAt: string;
        };
        /** @description A listener at an instant. */
        ListenerAsOf: {
            /** Format: date-time */
            at: string;
            /**
             * @description `none`: not registered before this time. `ended`: unsubscribed before this time.
             * @enum {string}
             */
            state: "none" | "active" | "paused" | "ended";
            /** @description The listener then: another one if another listener at the hook URL was current. */
            details: {
                /** Format: uuid */
                listenerId: string;
                orgId: string;
                /** @description The user who registered it first. */
                userId: string;
                /** @description A capability: it must not appear in logs. */
                hookUrl: string;
                subscriptionType: string;
                /** @description Selects among the flow events of the type; null: all. */
                filter: {
                    [key: string]: unknown;
                } | null;
                /** @description The JSONata expression that makes the body; null: the event as it is. */
                transform: string | null;
                /** @description One delivery at a time, in the order of the flow events. */
                ordered: boolean;
                /** @description Null: the limit of the service for each listener. */
                ratePerSecond: number | null;
                /** @description Free text of who registered the listener. */
                description: string | null;
                /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
                signedWithKeyPair: boolean;
                /** @description The number of its signing secret. */
                secretVersion: number;
                /**
                 * Format: date-time
                 * @description Deliveries are also signed with the previous secret until then.
                 */
                previousSecretUntil: string | null;
                /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
                failing: {
                    /** Format: date-time */
                    since: string;
                    failures: number;
                    /** @description Share of the limit at which the listener is paused. */
                    percent: number;
                } | null;
                /**
                 * Format: date-time
                 * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
                 */
                expiresAt?: string;
            } | null;
            /** @description The last change until then. */
            change: {
                type: string;
                /** Format: date-time */
                at: string;
                revision: string;
            } | null;
            /**
             * Format: date-time
             * @description The time of the last change before the instant.
             */
            previousAt: string | null;
            /**
             * Format: date-time
             * @description The time of the first change after the instant.
             */
            nextAt: string | null;
        };
        ListenerBacklog: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description Its origin: the URL itself is a capability. */
            hookUrl: string;
            waiting: number;
            held: number;
        };
        /** @description A listener, current or ended. */
        ListenerDetail: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /** @enum {string} */
            state: "active" | "paused" | "ended";
            /** @enum {string|null} */
            pausedBy: "operator" | "failing" | null;
            /**
             * Format: date-time
             * @description The time of the last change of its state or subscription; of an ended listener, of its end.
             */
            since: string;
            /** @description `requested` by the platform or the agent, `gone` (410), by an `operator` or a customer, `expired` or `access-revoked` of an agent, or `erased` with its organisation. */
            endReason: string | null;
            /**
             * Format: uuid
             * @description The ID of the latest listener at the same hook URL, if one was registered after this one.
             */
            replacedBy: string | null;
            /**
             * Format: date-time
             * @description The time at which the URL was first registered for the organisation.
             */
            firstRegisteredAt: string;
            health: components["schemas"]["ListenerHealth"];
            /** @description Number of held deliveries, counted up to 1,000. */
            held: number;
            /** @description Number of waiting deliveries. */
            waiting: number;
        };
        /** @description The results of recent attempts. */
        ListenerHealth: {
            /** @enum {string} */
            breaker: "closed" | "open" | "probing";
            /**
             * Format: date-time
             * @description The circuit breaker is open and keeps deliveries back until then.
             */
            openUntil: string | null;
            /**
             * Format: date-time
             * @description Every attempt since then has failed.
             */
            failingSince: string | null;
            /** @description Number of failed attempts since then. */
            failures: number;
            /** @description The rate that the listener accepts, found by its answers 429 and 503. */
            pacePerSecond: number | null;
            /**
             * Format: date-time
             * @description The listener has asked for no attempts until then (Retry-After).
             */
            notBefore: string | null;
            /** @description Null if the last attempt succeeded. */
            lastFailure: components["schemas"]["LastFailure"] | null;
            /**
             * Format: date-time
             * @description Earliest time of the next attempt; null if no delivery waits.
             */
            nextAttemptAt: string | null;
        };
        ListenerInTrouble: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description Its origin: the URL itself is a capability. */
            hookUrl: string;
            /** @enum {string} */
            trouble: "breaker" | "paused" | "overdue";
            /**
             * Format: date-time
             * @description Time of the first of the failed attempts in a row.
             */
            failingSince: string | null;
            /** @description Number of failed attempts in a row. */
            failedAttempts: number;
            /**
             * Format: date-time
             * @description The circuit breaker keeps deliveries back until then.
             */
            openUntil: string | null;
            /**
             * Format: date-time
             * @description Time at which the longest waiting of its deliveries became or becomes due.
             */
            dueSince: string | null;
            lastFailure: components["schemas"]["LastFailure"] | null;
            /** @description Number of waiting deliveries. */
            waiting: number;
            /** @description Number of held deliveries. */
            held: number;
        };
        /** @description A listener at a past moment, with the last event up to then. */
        ListenerThen: {
            stream: string;
            revision: string;
            changedAt: string;
        } & {
            [key: string]: unknown;
        };
        ListenerWithSecret: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /** @enum {string} */
            state: "active" | "paused" | "unsubscribed";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
            /** @description The new signing secret. */
            signingSecret: string;
            /** @description Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true. */
            signingPublicKey: string;
        };
        MissingIntegrationTask: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            state: "missing";
        };
        /** @description The time, the actor and the reason of a change of a listener. */
        Moment: {
            at: string;
            by: string | null;
            reason: string | null;
        };
        OperationalEventType: {
            name: string;
            description: string;
            /** @description The JSON Schema of `data`. */
            schema: unknown;
            example: unknown;
        };
        OperationalListener: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            signingSecret: string;
            /** @description Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true. */
            signingPublicKey: string;
            /** @description The subscription that the listener at this hook URL had until now; null: none, or the same. */
            replaced: {
                subscriptionType: string;
                /** @description Selects among the flow events of the type; null: all. */
                filter: {
                    [key: string]: unknown;
                } | null;
                /** @description The JSONata expression that makes the body; null: the event as it is. */
                transform: string | null;
                /** @description One delivery at a time, in the order of the flow events. */
                ordered: boolean;
                /** @description Null: the limit of the service for each listener. */
                ratePerSecond: number | null;
                /** @description Free text of who registered the listener. */
                description: string | null;
                /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
                signedWithKeyPair: boolean;
            } | null;
        };
        Organisation: {
            orgId: string;
            /** @description Active and paused listeners, counted up to 10000. */
            listeners: number;
        };
        /** @description The defaults of an organisation's new listeners, and the check of its flow events. */
        OrganisationSettings: {
            orgId: string;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /**
             * @description The treatment of flow events that do not match their declared type.
             * @enum {string}
             */
            eventTypeCheck: "off" | "warn" | "refuse";
        };
        Part: {
            part: string;
            ready: boolean;
            since?: string;
            reason?: string;
            required?: boolean;
        };
        /** @description Milliseconds, estimated from a histogram; null where there was none. */
        Percentiles: {
            p50: number | null;
            p95: number | null;
        };
        PublishFlowEventAsOperatorRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            type: string;
            data: unknown;
            /** @description Publishing again with the same id has no effect: the first event is kept. */
            id?: string | null;
            /** @description The flow that the event belongs to; without it the event is a new flow. */
            flowId?: string | null;
            /** Format: date-time */
            occurredAt?: string | null;
        };
        Published: {
            id?: string;
            /** @description True: an event with this id was published before with another content, which is kept and delivered. */
            differs?: boolean;
            accepted?: number;
            rejected?: number;
            results?: components["schemas"]["PublishedResult"][];
        };
        PublishedBatch: {
            accepted: number;
            rejected: number;
            results: components["schemas"]["PublishedResult"][];
        };
        PublishedByOperator: {
            id: string;
            /** @description True: an event with this id was published before with another content, which is kept and delivered. */
            differs?: boolean;
            /** @description Its size, the difference between its data and its declared type, and an earlier event with its id. */
            warnings: string[];
        };
        PublishedResult: components["schemas"]["AcceptedEvent"] | components["schemas"]["RejectedEvent"];
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not ready";
            parts: components["schemas"]["Part"][];
        };
        /** @description A rebuild or a verification that is under way, or a rebuild that was left unfinished. */
        Rebuild: {
            build: string | null;
            /** @description The process that works on it; null: it was left unfinished, and the next rebuild continues it. */
            holder: {
                host: string;
                pid: number;
                since: string;
            } | null;
            cancelled: boolean;
            progress: {
                /**
                 * @description `folding` and `comparing` are the phases of a verification, which changes no view.
                 * @enum {string}
                 */
                phase: "loading" | "indexing" | "catching up" | "verifying" | "done" | "folding" | "comparing";
                events: number;
                perSecond: number;
                position: string;
                head: string;
            } | null;
        };
        RebuildViewRequest: {
            /**
             * @description Compare the new build with the live one before it takes over.
             * @default false
             */
            verify?: boolean | null;
        };
        RedeliverDeliveriesRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            ids?: string[] | null;
            /** Format: uuid */
            listenerId?: string | null;
            eventId?: string | null;
            /** Format: uuid */
            replay?: string | null;
            type?: string | null;
            /** @description The result of the last attempt: a status such as `503`, a class such as `connect_timeout`, or `any`. */
            error?: string | null;
            /** Format: date-time */
            from?: string | null;
            /** Format: date-time */
            to?: string | null;
            after?: string | null;
            states?: ("waiting" | "held" | "succeeded" | "exhausted" | "cancelled")[] | null;
            /** @default 100 */
            limit?: number | null;
        };
        RedeliverDeliveryRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
        };
        Redelivered: {
            redelivered: number;
            /** @description Deliveries that were selected, and whose listeners are paused or removed, or which have changed meanwhile. */
            leftOut?: number;
            /** @description The `after` of the next request; null: all have been redelivered. */
            next: string | null;
        };
        RefreshTokensAnswer: {
            /** @description A JWT, for the header `Authorization: Bearer …`. */
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds until the access token expires. */
            expires_in: number;
            /** @description Exchange it at `POST /refresh` or `POST /access`. */
            refresh_token: string;
            /** @description The scopes of the token, where clients are registered. */
            scope?: string;
        };
        RefreshTokensRequest: {
            /** @constant */
            grant_type: "refresh_token";
            refresh_token: string;
            scope?: string | null;
            resource?: string | null;
            client_id?: string | null;
            client_secret?: string | null;
        };
        RegisterClientRequest: {
            /** @description Permanent. Generated if none is given. */
            clientId?: string | null;
            name: string;
            /**
             * @description Without it `confidential`.
             * @enum {string|null}
             */
            type?: "confidential" | "public" | null;
            redirectUris: string[];
            /**
             * @default [
             *       "listeners"
             *     ]
             */
            scopes?: ("listeners" | "flows:publish")[] | null;
        };
        RegisterTaskRequest: {
            /**
             * @description Null, or left out: the default of the whole service.
             * @default null
             */
            orgId?: string | null;
            name?: string | null;
        };
        /** @description A registered platform. */
        RegisteredClient: {
            clientId: string;
            name: string;
            /** @enum {string} */
            type: "confidential" | "public";
            redirectUris: string[];
            scopes: ("listeners" | "flows:publish")[];
            /** Format: date-time */
            registeredAt: string;
            /** @description The valid secrets, the current one first; never the secrets themselves. */
            secrets: {
                /** Format: date-time */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Null: until an operator ends it.
                 */
                until: string | null;
            }[];
        };
        RegisteredIntegrationTask: {
            /** @description Null: the default of the whole service. */
            orgId: string | null;
            name: string;
            /** @enum {string} */
            state: "registered" | "active" | "inactive";
            /** @description Time at which it got into this state. */
            since: string;
            /** @description The reason of its deactivation, if one was given. */
            reason: string | null;
        };
        RejectedEvent: {
            /**
             * @description It is not recorded. Send it again only after a correction. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "rejected";
            /** @description The ID as it was sent, if there is one. */
            id?: string;
            /** @description The line in newline-delimited JSON, from 1. */
            line?: number;
            /** @description A stable code, as that of an error answer to a single event. */
            error: string;
            message: string;
        };
        RemovedClient: {
            clientId: string;
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
        };
        /** @description Past flow events, sent again to one listener. */
        Replay: {
            /** Format: uuid */
            id: string;
            orgId: string;
            /** Format: uuid */
            listenerId: string;
            /** Format: date-time */
            from: string | null;
            /** Format: date-time */
            to: string | null;
            /** @description The subscription type that selects its flow events; null: every type. */
            type: string | null;
            /** @description The only flow event that it sends; null: it sends several. */
            event: {
                stream: string;
                revision: string;
            } | null;
            ratePerSecond: number;
            /** Format: date-time */
            startedAt: string;
            /** @description Number of flow events examined. */
            lookedAt: number;
            /** @description Number of deliveries enqueued. */
            enqueued: number;
            /** @description The last flow event that it has examined. */
            reached: {
                stream: string;
                revision: string;
            } | null;
            /** @enum {string} */
            state: "running" | "completed" | "cancelled";
            /** Format: date-time */
            progressedAt: string;
            /** Format: date-time */
            endedAt: string | null;
            /** @description The reason of the cancellation. */
            reason: string | null;
            startedBy: string | null;
            endedBy: string | null;
            percent: number;
            /** @description Estimate; null if unknown. */
            secondsLeft: number | null;
        };
        ResumeListenerRequest: {
            /** @default false */
            redeliverHeld?: boolean | null;
            /**
             * @description Also of an active listener: its circuit breaker closes, and its failures do not count any more.
             * @default false
             */
            closeCircuit?: boolean | null;
        };
        ResumedListener: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /** @enum {string} */
            state: "active" | "paused" | "unsubscribed";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
            /** @description Number of deliveries that are still held. */
            held: number;
            /** @description Number of held deliveries that were made due. */
            redelivered: number;
            /** @description The fan-out has not yet processed all flow events of the pause. */
            moreMayCome: boolean;
        };
        RetireEventTypeRequest: {
            name: string;
        };
        RetriedEvent: {
            stream: string;
            revision: string;
            position: string;
            type: string;
            /** @enum {string} */
            outcome: "handed-over" | "set-aside";
            /** @description Number of deliveries that the retry enqueued. */
            deliveries: number;
            /** @description The reason why it cannot be decoded; null: it is no longer set aside. */
            reason: string | null;
        };
        RetrySetAsideAnswer: {
            items: components["schemas"]["RetriedEvent"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        RetrySetAsideRequest: {
            stream?: string | null;
            revision?: number | string | null;
            after?: number | string | null;
            /** @default 100 */
            limit?: number | null;
        };
        RevokeSessionsAnswer: {
            items: components["schemas"]["RevokedSession"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        RevokeSessionsRequest: {
            orgId?: string | null;
            userId?: string | null;
            clientId?: string | null;
            /** Format: uuid */
            sessionId?: string | null;
            /** @description The `next` of the previous page. */
            after?: string | null;
        };
        RevokeTokenRequest: {
            token: string;
            /** @description Ignored: a token shows its type. */
            token_type_hint?: string | null;
            client_id?: string | null;
            client_secret?: string | null;
        };
        RevokedSession: {
            /** Format: uuid */
            sessionId: string;
            orgId: string;
            userId: string;
            /** @description The client to which it is bound. */
            clientId: string | null;
            issuedAt: string;
            /** @description The time of the last rotation of its refresh token. */
            rotatedAt: string;
        };
        RotateClientSecretRequest: {
            /** @default null */
            overlapHours?: number | null;
            /** @default false */
            discardNewest?: boolean | null;
        };
        RotateListenerSecretRequest: {
            /** @default 24 */
            overlapHours?: number | null;
            /** @description The `secretVersion` that is to be replaced: a repeat with it does not rotate again. */
            replaces?: number | null;
        };
        /** @description The result of a comparison of the history with a seal. */
        SealCheck: {
            /** Format: date-time */
            sealedAt: string;
            streams: number;
            events: number;
            /** @description RFC 7638, of the signing key. */
            thumbprint: string;
            matches: boolean;
            /** @description Number of streams that differ. */
            differences: number;
            /** @description Number of streams whose erasure is recorded, which are no difference. */
            erased: number;
            /** @description The first findings by stream name, at most 100. */
            findings: {
                stream: string;
                /** @enum {string} */
                kind: "changed" | "removed" | "added" | "unexplained" | "erased";
                /** @description The first revision that differs is between this one and `to`; null if the stream was erased. */
                from: string | null;
                to: string | null;
                /** @description Time at which the stream was erased; null if it was not. */
                at: string | null;
                by: string | null;
            }[];
        };
        SearchListenersAnswer: {
            items: components["schemas"]["FoundListener"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
            /** @description Number of listeners that were examined for this page. */
            searched: number;
        };
        SearchListenersRequest: {
            /** @description The ID of an organisation. */
            orgId?: string | null;
            /** @description The whole URL. */
            hookUrl?: string | null;
            /** @description A part of the URL, in either case. */
            urlPart?: string | null;
            /** @enum {string|null} */
            state?: "active" | "troubled" | "paused" | "paused-failing" | "ended" | null;
            /** @default 50 */
            limit?: number | null;
            /** @description The `next` of the previous page. */
            after?: string | null;
        };
        SentRequest: {
            /** @description Null before the first attempt. */
            headers: {
                [key: string]: string;
            } | null;
            /** @description Null if it is not kept any more. */
            body: string | null;
        };
        Service: {
            version: string;
            nodeVersion: string;
            /** @enum {string} */
            mode: "development" | "production";
            /** @description The name of the machine. */
            host: string;
            /** Format: date-time */
            startedAt: string;
            roles: ("api" | "projector" | "dispatcher")[];
            /**
             * @description `servers`: EventStoreDB and MongoDB.
             * @enum {string}
             */
            stores: "embedded" | "servers";
            /** @description Resident memory of the process. */
            memoryBytes: number;
            parts: {
                part: string;
                ready: boolean;
                since?: string;
                reason?: string;
                required?: boolean;
            }[];
            /** @description Null if this instance delivers nothing. */
            dispatcher: {
                /** @description This instance has fanned out all events of its partitions up to this position; null while it has none. */
                fanOutPosition: string | null;
                /** @description Number of partitions that this instance fans out. */
                fanOutPartitions: number;
                attemptsUnderWay: number;
            } | null;
            /** @description Leaderships for which this instance competes, with the leader of each. */
            leases: {
                name: string;
                isHeld: boolean;
                holder: string | null;
            }[];
            /** @description Flow events that were published at this instance since it started and did not match their event type, by type: accepted with a warning, or refused. */
            eventTypeMismatches: {
                type: string;
                warned: number;
                refused: number;
                /** Format: date-time */
                lastAt: string;
                lastReason: string;
            }[];
            /** @description Settings of production whose values void a protection, which `UNSAFE` permits. */
            unsafe: {
                setting: string;
                voids: string;
            }[];
        };
        /** @description A user's session, without its tokens. */
        Session: {
            /** Format: uuid */
            sessionId: string;
            orgId: string;
            userId: string;
            /** @description The client to which it is bound. */
            clientId: string | null;
            issuedAt: string;
            /** @description The time of the last rotation of its refresh token. */
            rotatedAt: string;
            /** @enum {string} */
            state: "active" | "revoked";
            rotations: number;
            /**
             * Format: date-time
             * @description Time at which an earlier refresh token was presented.
             */
            reusedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** @description The reason of the revocation. */
            reason: string | null;
        };
        /** @description An event that could not be decoded; it is kept. */
        SetAsideEvent: {
            stream: string;
            revision: string;
            position: string;
            type: string;
            /** @description The reason why it cannot be decoded. */
            reason: string;
        };
        ShowApiDescriptionAnswer: {
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        ShowAsOfAnswer: {
            items: components["schemas"]["ListenerThen"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ShowAsOfRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            hookUrl?: string | null;
            at: string;
            /** @default 100 */
            limit?: number | null;
            after?: string | null;
        };
        ShowDifferenceAnswer: {
            items: components["schemas"]["AuditDifference"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ShowDifferenceRequest: {
            orgId: string;
            from: string;
            to: string;
            /**
             * @description Maximum number of streams with differences in a page.
             * @default 100
             */
            limit?: number | null;
            after?: string | null;
        };
        ShowEventTypeTimelineAnswer: {
            items: components["schemas"]["AuditEntry"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ShowHistoryAnswer: {
            items: components["schemas"]["AuditEntry"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ShowHistoryRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            hookUrl?: string | null;
            /** Format: uuid */
            listenerId?: string | null;
            user?: boolean | string | null;
            /** Format: date-time */
            from?: string | null;
            /** Format: date-time */
            to?: string | null;
            /** @default 100 */
            limit?: number | null;
            after?: number | string | null;
            /**
             * @description Without it `oldest`.
             * @enum {string|null}
             */
            first?: "oldest" | "newest" | null;
        };
        ShowListenerAsOfRequest: {
            /** Format: date-time */
            at: string;
        };
        ShowListenerTimelineAnswer: {
            items: components["schemas"]["AuditEntry"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        ShowPublicKeysAnswer: {
            keys: ({
                kty: string;
                kid: string;
                alg: string;
                /** @constant */
                use?: "sig";
            } & {
                [key: string]: unknown;
            })[];
        };
        ShowPublicKeysOfListenerAnswer: {
            keys: {
                /** @description Ed25519, in the format of Standard Webhooks. */
                publicKey: string;
                /** @description The number of the signing secret beside it. */
                version: number;
                /**
                 * Format: date-time
                 * @description It signs until then, beside the present key; null: the present key.
                 */
                until: string | null;
            }[];
        };
        ShowServiceHistoryAnswer: {
            items: components["schemas"]["AuditEntry"][];
            /** @description The `after` of the next page; null on the last page. */
            next: string | null;
        };
        SkipEventRequest: {
            position: number | string;
            /** @description The reason, for readers of the history. */
            why: string;
        };
        /** @description An event that a view leaves out. */
        SkippedEvent: {
            projection: string;
            eventId: string;
            eventType: string;
            stream: string;
            revision: string;
            position: string;
            why: string;
        };
        StartReplayRequest: {
            /** Format: uuid */
            id?: string | null;
            /** @description The ID of an organisation. */
            orgId: string;
            /** Format: uuid */
            listenerId?: string | null;
            hookUrl?: string | null;
            /** Format: date-time */
            from?: string | null;
            /** Format: date-time */
            to?: string | null;
            type?: string | null;
            eventId?: string | null;
            ratePerSecond?: number | null;
        };
        SubscribeAnswer: {
            /**
             * Format: uuid
             * @description The same as `listenerId`: platforms look for `id`.
             */
            id: string;
            /** Format: uuid */
            listenerId: string;
            /** @description Deliveries are signed with it (Standard Webhooks). */
            signingSecret: string;
            /** @description Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true. */
            signingPublicKey: string;
            orgId: string;
            /**
             * Format: uri
             * @description The stored form: normalised, without a fragment.
             */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The subscription that the listener at this hook URL had until now; null: none, or the same. */
            replaced: {
                subscriptionType: string;
                /** @description Selects among the flow events of the type; null: all. */
                filter: {
                    [key: string]: unknown;
                } | null;
                /** @description The JSONata expression that makes the body; null: the event as it is. */
                transform: string | null;
                /** @description One delivery at a time, in the order of the flow events. */
                ordered: boolean;
                /** @description Null: the limit of the service for each listener. */
                ratePerSecond: number | null;
                /** @description Free text of who registered the listener. */
                description: string | null;
                /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
                signedWithKeyPair: boolean;
            } | null;
            message: string;
        };
        SubscribeListenerRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            /** @description The user for whom it is registered; without it, the caller. */
            userId?: string | null;
            /** @description An absolute http or https URL, at most 2,048 characters. */
            hookUrl: string;
            /** @description Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`). */
            subscriptionType: string;
            /** @description Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before. */
            filter?: Record<string, unknown> | null;
            /** @description A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md. */
            transform?: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered?: boolean | null;
            /** @description Maximum deliveries per second; null: the service-wide limit for each listener. */
            ratePerSecond?: number | null;
            /** @description Free text of who registers the listener, for people; without it, it stays as it is; null: none. */
            description?: string | null;
            /** @description Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret. */
            signedWithKeyPair?: boolean | null;
        };
        SubscribeOperationsRequest: {
            /** @description An absolute http or https URL, at most 2,048 characters. */
            hookUrl: string;
            /** @description Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`). */
            subscriptionType: string;
            /** @description Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before. */
            filter?: Record<string, unknown> | null;
            /** @description A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md. */
            transform?: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered?: boolean | null;
            /** @description Maximum deliveries per second; null: the service-wide limit for each listener. */
            ratePerSecond?: number | null;
            /** @description Free text of who registers the listener, for people; without it, it stays as it is; null: none. */
            description?: string | null;
            /** @description Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret. */
            signedWithKeyPair?: boolean | null;
        };
        SubscribeRequest: {
            /** @description An absolute http or https URL, at most 2,048 characters. */
            hookUrl: string;
            /** @description Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`). */
            subscriptionType: string;
            /** @description Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before. */
            filter?: Record<string, unknown> | null;
            /** @description A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md. */
            transform?: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered?: boolean | null;
            /** @description Maximum deliveries per second; null: the service-wide limit for each listener. */
            ratePerSecond?: number | null;
            /** @description Free text of who registers the listener, for people; without it, it stays as it is; null: none. */
            description?: string | null;
            /** @description Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret. */
            signedWithKeyPair?: boolean | null;
        };
        SubscribedListener: {
            /** Format: uuid */
            listenerId: string;
            orgId: string;
            /** @description The user who registered it first. */
            userId: string;
            /** @description A capability: it must not appear in logs. */
            hookUrl: string;
            subscriptionType: string;
            /** @description Selects among the flow events of the type; null: all. */
            filter: {
                [key: string]: unknown;
            } | null;
            /** @description The JSONata expression that makes the body; null: the event as it is. */
            transform: string | null;
            /** @description One delivery at a time, in the order of the flow events. */
            ordered: boolean;
            /** @description Null: the limit of the service for each listener. */
            ratePerSecond: number | null;
            /** @description Free text of who registered the listener. */
            description: string | null;
            /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
            signedWithKeyPair: boolean;
            /** @description The number of its signing secret. */
            secretVersion: number;
            /**
             * Format: date-time
             * @description Deliveries are also signed with the previous secret until then.
             */
            previousSecretUntil: string | null;
            /** @description The failures that were last recorded: all attempts since `since` have failed; null: none. */
            failing: {
                /** Format: date-time */
                since: string;
                failures: number;
                /** @description Share of the limit at which the listener is paused. */
                percent: number;
            } | null;
            /**
             * Format: date-time
             * @description The end of the subscription of an agent, unless its host renews it; missing for other listeners.
             */
            expiresAt?: string;
            /** @enum {string} */
            state: "active" | "paused" | "unsubscribed";
            /** @description The types of the events that the command appended; empty if it changed nothing. */
            changed: string[];
            /** @description The new signing secret. */
            signingSecret: string;
            /** @description Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true. */
            signingPublicKey: string;
            /** @description The subscription that the listener at this hook URL had until now; null: none, or the same. */
            replaced: {
                subscriptionType: string;
                /** @description Selects among the flow events of the type; null: all. */
                filter: {
                    [key: string]: unknown;
                } | null;
                /** @description The JSONata expression that makes the body; null: the event as it is. */
                transform: string | null;
                /** @description One delivery at a time, in the order of the flow events. */
                ordered: boolean;
                /** @description Null: the limit of the service for each listener. */
                ratePerSecond: number | null;
                /** @description Free text of who registered the listener. */
                description: string | null;
                /** @description Deliveries have a second signature (`v1a`), which the public key verifies. */
                signedWithKeyPair: boolean;
            } | null;
        };
        SubscriptionType: {
            /** @description The value for `subscriptionType`. */
            id: string;
            name: string;
            description: string;
        };
        /** @description The result of a sample flow event. */
        TestDelivery: {
            /** Format: uuid */
            deliveryId: string;
            /** Format: uuid */
            eventId: string;
            state: components["schemas"]["DeliveryState"];
            /** @description Null: there was no attempt within some seconds. */
            attempt: components["schemas"]["Attempt"] | null;
        };
        TokenError: {
            /** @enum {string} */
            error: "invalid_request" | "invalid_grant" | "unsupported_grant_type" | "invalid_scope" | "invalid_target" | "invalid_client" | "temporarily_unavailable";
            /** @description A text for people. */
            error_description: string;
        };
        /** @description The request that a listener would receive for a flow event. */
        TriedEvent: {
            sent: boolean;
            /** @description The body that the listener would receive; null if nothing would be sent. */
            body: unknown;
            /** @description The reason why nothing would be sent. */
            because: string | null;
        };
        TriedExample: {
            /** @enum {string} */
            outcome: "sent" | "dropped" | "failed";
            eventId: string;
            type: string;
            recordedAt: string;
            position: string;
            /** @description The body that would be sent; null otherwise. */
            body: unknown;
            /** @description The reason of `dropped` and `failed`. */
            because: string | null;
        };
        TriedGap: {
            /**
             * @description `deleted`: events here were deleted, and their number is known. `retention`: from here up to `upTo` events may be missing because of their age, and the service no longer knows how many. `erasure`: all events of the organisation up to `upTo` were erased.
             * @enum {string}
             */
            reason: "deleted" | "retention" | "erasure";
            /** @description The last position that the gap is about. */
            upTo: string;
            /** @description Number of missing events; null: unknown. */
            events: number | null;
        };
        /** @description The outcomes of past flow events. */
        TriedSubscription: {
            /**
             * Format: date-time
             * @description The beginning of the period.
             */
            from: string;
            /** @description The time of recording of the last event that is counted; null: none is. */
            upTo: string | null;
            /** @description Number of events that would be sent. */
            sent: number;
            /** @description Number of events of the subscription type that the filter excludes. */
            dropped: number;
            /** @description Number of events whose transformation fails: each would be a dead letter. */
            failed: number;
            /** @description The first of each outcome, in order of position. */
            examples: components["schemas"]["TriedExample"][];
            /** @description Events that are missing, and not counted. `retention` and `erasure` may concern the time before the period. */
            gaps: components["schemas"]["TriedGap"][];
            /**
             * @description `end`: all events of the period are counted. `events`, `bytes`, `time`: the page is full. `busy`: expressions cannot be evaluated now.
             * @enum {string}
             */
            stoppedBy: "end" | "events" | "bytes" | "time" | "busy";
            /** @description The `after` of the next request, whose counts are to be added; null: the end. */
            next: string | null;
        };
        TryListenerRequest: {
            event: {
                type: string;
                data: unknown;
                /** @description Publishing again with the same id has no effect: the first event is kept. */
                id?: string | null;
                /** @description The flow that the event belongs to; without it the event is a new flow. */
                flowId?: string | null;
                /** Format: date-time */
                occurredAt?: string | null;
            };
        };
        TrySubscriptionRequest: {
            /** @description The ID of an organisation. */
            orgId: string;
            /**
             * @description Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`).
             * @default *
             */
            subscriptionType?: string | null;
            /** @description Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before. */
            filter?: Record<string, unknown> | null;
            /** @description A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md. */
            transform?: string | null;
            /**
             * @description Age of the oldest flow events, in days.
             * @default 7
             */
            days?: number | null;
            /**
             * @description Maximum number of examples of each outcome.
             * @default 3
             */
            examples?: number | null;
            /** @description The `next` of the previous page. */
            after?: string | null;
        };
        UnsubscribeAnswer: {
            success: boolean;
            message: string;
        };
        UnsubscribeRequest: {
            /** @description An absolute http or https URL, at most 2,048 characters. */
            hookUrl: string;
        };
        Verification: {
            name: string;
            /** @description The verification that any instance runs; `POST /views/{name}/cancel` cancels it. */
            running: {
                /** @enum {string} */
                phase: "folding" | "comparing";
                /** @description While folding a position, while comparing a number of documents. */
                done: string;
                total: string;
            } | null;
            /** @description The last verification of this view by the instance that answers, since its start. */
            last: {
                /** Format: date-time */
                startedAt: string;
                /** Format: date-time */
                endedAt: string;
                /** @enum {string} */
                outcome: "matches" | "differs" | "cancelled" | "failed" | "stopped";
                differences: number;
                /** @description Events that the view leaves out by an operator's decision. */
                skipped: number;
                /** @description The first of them, at most 20. */
                first: {
                    view: string;
                    /** @enum {string} */
                    kind: "missing" | "surplus" | "different" | "not-built" | "unreadable" | "skipped";
                    key: string | null;
                    fields: {
                        [key: string]: {
                            expected: unknown;
                            actual: unknown;
                        };
                    };
                    message: string | null;
                }[];
                failure: string | null;
            } | null;
        };
        /** @description The progress of a view. */
        View: {
            name: string;
            version: number;
            /** @description The live build; null: the view has not been built yet. */
            build: string | null;
            /** @description Builds that are not read: former ones, and one that is being made. */
            otherBuilds: string[];
            /** @description All events up to this position are in the view. */
            position: string | null;
            /** @description The end of the event store. */
            head: string;
            lag: {
                events: number;
                /** @description There may be more: they are counted up to a limit. */
                orMore: boolean;
                /** @description Age of the first event that the view does not have. */
                seconds: number;
            } | null;
            /** @description The damaged build that was set aside, while there is no other. */
            setAside: {
                as: string;
                since: string;
            } | null;
            /** @description The error that has stopped the view. */
            error: {
                message: string;
                position: string | null;
                since: string;
            } | null;
            rebuild: components["schemas"]["Rebuild"] | null;
            caughtUp: boolean;
            /** @description Null on an instance that does not project this view. */
            eventsPerSecond: number | null;
            /** @description The instance that projects this view. */
            holder: string | null;
            /** @description The last rebuild that this instance has completed. */
            lastRebuild: {
                build: string;
                /** @description Number of events handled, without the work of an interrupted rebuild that it continued. */
                events: number;
                seconds: number;
                /** @description It continued an unfinished build. */
                resumed: boolean;
                /** @description Number of documents compared with those of the live build before. */
                verified: number | null;
            } | null;
            /** @description The error that ended the last rebuild started by this instance. */
            rebuildFailure: string | null;
        };
        /**
         * @description The reason why a delivery waits: the time of its retry, the time that the listener asked for, the circuit breaker of the listener, the rate limit of the listener, an earlier delivery of an ordered listener, a worker, the resume of its listener, or its redelivery.
         * @enum {string}
         */
        WaitsFor: "schedule" | "retry-after" | "breaker" | "rate" | "order" | "a worker" | "resume" | "redelivery";
        WhoamiAnswer: {
            /** @description Names the caller in the history: `user:42`, `admin:ops`, `api-key:` and its ID. */
            actor: string;
            /** @description Null: every organisation. */
            orgId: string | null;
            /** @description Null: these are not the credentials of a user. */
            userId: string | null;
            /**
             * @description The role of an admin key; null for others.
             * @enum {string|null}
             */
            role: "viewer" | "operator" | "owner" | null;
            scopes: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    exchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeCodeRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["ExchangeCodeRequest"];
            };
        };
        responses: {
            /** @description The tokens of a new session, with its user and organisation; or, for a refresh token, new tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExchangeCodeAnswer"];
                };
            };
            /**
             * @description `invalid_grant`: The code or refresh token is not valid, has expired or has been revoked: the user has to connect again.
             *
             *     `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it.
             *
             *     `unsupported_grant_type`: The route supports another `grant_type`.
             *
             *     `invalid_scope`: The requested scope is unknown or exceeds the scope that was granted.
             *
             *     `invalid_target`: The `resource` is unknown, or not the one of the sign-in (RFC 8707).
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `invalid_client`: The client credentials are missing or not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
    refreshTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshTokensRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["RefreshTokensRequest"];
            };
        };
        responses: {
            /** @description New tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefreshTokensAnswer"];
                };
            };
            /**
             * @description `invalid_grant`: The code or refresh token is not valid, has expired or has been revoked: the user has to connect again.
             *
             *     `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it.
             *
             *     `unsupported_grant_type`: The route supports another `grant_type`.
             *
             *     `invalid_scope`: The requested scope is unknown or exceeds the scope that was granted.
             *
             *     `invalid_target`: The `resource` is unknown, or not the one of the sign-in (RFC 8707).
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `invalid_client`: The client credentials are missing or not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
    checkToken: {
        parameters: {
            query?: {
                /** @description Scopes that the credentials have to have, separated by spaces: `listeners:write flows:publish`. */
                scope?: string;
            };
            header?: {
                orgid?: string;
                userid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is valid. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckTokenAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 429: too_many_requests; 500: internal_error; 503: store_unavailable, key_set_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "too_many_requests" | "internal_error" | "store_unavailable" | "key_set_unavailable";
                    };
                };
            };
        };
    };
    whoami: {
        parameters: {
            query?: never;
            header?: {
                orgid?: string;
                userid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credentials are valid. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhoamiAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeTokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["RevokeTokenRequest"];
            };
        };
        responses: {
            /** @description The token is not valid any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
            /**
             * @description `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it.
             *
             *     `invalid_grant`: The code or refresh token is not valid, has expired or has been revoked: the user has to connect again.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `invalid_client`: The client credentials are missing or not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntrospectTokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectTokenRequest"];
            };
        };
        responses: {
            /** @description The state of the token; only `active` if it is not valid, or not for the caller to know. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntrospectTokenAnswer"];
                };
            };
            /** @description `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /**
             * @description `invalid_client`: The client credentials are missing or not valid.
             *
             *     `unauthenticated`: The credentials are missing or not accepted.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A stable code, for programs. */
                        error: string;
                        /** @description A text for people. */
                        error_description?: string;
                        /** @description A text for people. */
                        message?: string;
                        /** @description The ID of `X-Request-Id`, and in the log of the service. */
                        requestId?: string;
                    };
                };
            };
            /** @description `invalid_request`: A parameter is missing, repeated or not valid; `error_description` names it. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description `temporarily_unavailable`: Try again after `Retry-After`. The token is still valid. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description 403: forbidden */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "forbidden";
                    };
                };
            };
        };
    };
    showPublicKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowPublicKeysAnswer"];
                };
            };
            /** @description 429: too_many_requests; 500: internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "too_many_requests" | "internal_error";
                    };
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The organisation; `orgId` is the same header. Needed with an access token, of whose organisation it has to be, and with an API key for every organisation. */
                orgid?: string;
                /** @description The user, who becomes the owner of the listener. Needed unless an API key is sent; with an access token it has to be its user. */
                userid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeRequest"];
            };
        };
        responses: {
            /** @description The listener is registered. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscribeAnswer"];
                };
            };
            /** @description 400: target_not_allowed, invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_listeners, too_many_requests; 500: integration_task_missing, integration_task_inactive, key_set_unavailable, store_unavailable, internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "target_not_allowed" | "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_listeners" | "too_many_requests" | "integration_task_missing" | "integration_task_inactive" | "key_set_unavailable" | "store_unavailable" | "internal_error";
                    };
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The organisation; `orgId` is the same header. Needed with an access token, of whose organisation it has to be, and with an API key for every organisation. */
                orgid?: string;
                /** @description The user, for the history. */
                userid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnsubscribeRequest"];
            };
        };
        responses: {
            /** @description The listener is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: listener_not_found, key_set_unavailable, store_unavailable, internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "listener_not_found" | "key_set_unavailable" | "store_unavailable" | "internal_error";
                    };
                };
            };
        };
    };
    showPublicKeysOfListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, the present one first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowPublicKeysOfListenerAnswer"];
                };
            };
            /** @description 400: invalid_request; 404: not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    publishFlowEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The organisation. Not needed if the credentials are for one, or the body names it. */
                orgid?: string;
                /** @description The user, for the history. */
                userid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventToPublish"];
                "application/cloudevents+json": components["schemas"]["CloudEvent"];
                "application/cloudevents-batch+json": components["schemas"]["CloudEvent"][];
            };
        };
        responses: {
            /** @description The flow event is stored, and is delivered. A batch: the result of each event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Published"];
                };
            };
            /** @description 400: event_type_mismatch, invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: key_set_unavailable, store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "event_type_mismatch" | "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "key_set_unavailable" | "store_unavailable";
                    };
                };
            };
        };
    };
    publishFlowEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The organisation. Not needed if the credentials are for one, or the body names it. */
                orgid?: string;
                /** @description The user, for the history. */
                userid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventToPublish"][];
                "application/cloudevents-batch+json": components["schemas"]["CloudEvent"][];
            };
        };
        responses: {
            /** @description The accepted flow events are stored, and are delivered. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedBatch"];
                };
            };
            /** @description 400: event_type_mismatch, invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: key_set_unavailable, store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "event_type_mismatch" | "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "key_set_unavailable" | "store_unavailable";
                    };
                };
            };
        };
    };
    listSubscriptionTypes: {
        parameters: {
            query?: {
                /** @description Only types whose name or description contains this text, in letters of any case. */
                search?: string;
                /** @description The types behind this one: the `id` of the last one of the previous page. */
                after?: string;
                /** @description Maximum number of types, 1 to 1000, the default. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription types. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionType"][];
                };
            };
            /** @description 400: invalid_request; 429: too_many_requests; 500: store_unavailable, internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "too_many_requests" | "store_unavailable" | "internal_error";
                    };
                };
            };
        };
    };
    listSampleEvents: {
        parameters: {
            query?: {
                /** @description Only events that this subscription type selects; without it, all. */
                subscriptionType?: string;
                /** @description The same as `subscriptionType`. */
                type?: string;
                /** @description Only events that this filter of a subscription selects: an object as JSON. */
                filter?: string;
                /** @description The JSONata expression with which the caller is going to subscribe: each sample is what a listener with it receives. Samples for which it fails are left out; if it fails for all, the answer is 400 with the reason. */
                transform?: string;
                /** @description Maximum number of events, 1 to 100, the default. */
                limit?: number;
            };
            header?: {
                /** @description The organisation. Not needed if the credentials are for one. */
                orgid?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Samples. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown[];
                };
            };
            /** @description 400: invalid_request; 429: too_many_requests; 500: integration_task_missing, integration_task_inactive, key_set_unavailable, store_unavailable, internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "too_many_requests" | "integration_task_missing" | "integration_task_inactive" | "key_set_unavailable" | "store_unavailable" | "internal_error";
                    };
                };
            };
        };
    };
    listListeners: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListListenersAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    subscribeListener: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeListenerRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscribedListener"];
                };
            };
            /** @description 400: target_not_allowed, invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_listeners, too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "target_not_allowed" | "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_listeners" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    pauseListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedListener"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    resumeListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeListenerRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumedListener"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    rotateListenerSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateListenerSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerWithSecret"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 409: secrets_overlap; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "secrets_overlap" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    unsubscribeListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedListener"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    testListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description An attempt was made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            /** @description No attempt was made within a few seconds. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 409: listener_not_registered, listener_paused; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "listener_not_registered" | "listener_paused" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    tryListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TryListenerRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedEvent"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    searchListeners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SearchListenersRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchListenersAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showListener: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerDetail"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showListenerTimeline: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                after?: string;
            };
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowListenerTimelineAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showListenerAsOf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShowListenerAsOfRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerAsOf"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    changeListenerOptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a listener. */
                listenerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeListenerOptionsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedListener"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
                listenerId?: string;
                eventId?: string;
                replay?: string;
                type?: string;
                /** @description The result of the last attempt: a status such as `503`, a class such as `connect_timeout`, or `any`. */
                error?: string;
                from?: string;
                to?: string;
                after?: string;
                state?: "waiting" | "held" | "succeeded" | "exhausted" | "cancelled";
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description `last-attempt`: one page of the latest thousand that match, the latest attempt first. */
                order?: "last-attempt";
                /** @description `true`: the first page also has the number of matching deliveries (`total`), which a list with `order` always has. */
                counted?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDeliveriesAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    countDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryCounts"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showDelivery: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
            };
            header?: never;
            path: {
                /** @description The ID of a delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 404: delivery_not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "delivery_not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    redeliverDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliverDeliveriesRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivered"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 409: listener_not_registered, listener_paused; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "listener_not_registered" | "listener_paused" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    redeliverDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliverDeliveryRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: delivery_not_found; 408: request_timeout; 409: listener_not_registered, listener_paused; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "delivery_not_found" | "request_timeout" | "listener_not_registered" | "listener_paused" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showStats: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
                listenerId?: string;
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryStats"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showSentRequest: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
            };
            header?: never;
            path: {
                /** @description The ID of a delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentRequest"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: delivery_not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "delivery_not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listFlowEvents: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
                type?: string;
                /** @description The ID or flowId of a flow event, or a value that its event type declares searchable. Where no event has it, events with a value that begins with it: at most `limit`, without a next page. */
                find?: string;
                from?: string;
                to?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListFlowEventsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    publishFlowEventAsOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishFlowEventAsOperatorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedByOperator"];
                };
            };
            /** @description 400: event_type_mismatch, invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "event_type_mismatch" | "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showFlowEvent: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
            };
            header?: never;
            path: {
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowEvent"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 404: flow_event_not_found; 410: flow_event_deleted; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "flow_event_not_found" | "flow_event_deleted" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    explainFlowEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID with which the flow event was published, or its UUID in the event store. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplainFlowEventRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 404: not_found, flow_event_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "not_found" | "flow_event_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    readEvents: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
                /** @description A cursor; `end`: only events from now on. Without it, from the first event that is kept. */
                after?: string;
                /** @description As a subscription type selects it: a type, or a prefix such as `order.*`. Without it, all. */
                type?: string;
                /** @description A filter as a subscription has it, as JSON. */
                filter?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description Seconds for which the request waits if there is no item; 0 to 30. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPage"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    trySubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrySubscriptionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedSubscription"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden, insufficient_scope; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "insufficient_scope" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventTypesAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    declareEventType: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeclareEventTypeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedEventType"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 409: event_type_exists; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "event_type_exists" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showEventType: {
        parameters: {
            query: {
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventType"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: event_type_not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "event_type_not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showEventTypeTimeline: {
        parameters: {
            query: {
                name: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowEventTypeTimelineAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: event_type_not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "event_type_not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    changeEventType: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeEventTypeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedEventType"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: event_type_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "event_type_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    retireEventType: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetireEventTypeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedEventType"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: event_type_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "event_type_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listReplays: {
        parameters: {
            query?: {
                /** @description The ID of an organisation. */
                orgId?: string;
                listenerId?: string;
                order?: "latest";
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListReplaysAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    startReplay: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartReplayRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found, flow_event_not_found; 408: request_timeout; 409: listener_not_registered, listener_paused, filter_mismatch; 410: flow_event_deleted; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "flow_event_not_found" | "request_timeout" | "listener_not_registered" | "listener_paused" | "filter_mismatch" | "flow_event_deleted" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a replay. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: replay_not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "replay_not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    cancelReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a replay. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledReplay"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: replay_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "replay_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showHistory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShowHistoryRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowHistoryAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showServiceHistory: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowServiceHistoryAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showAsOf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShowAsOfRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowAsOfAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showDifference: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShowDifferenceRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowDifferenceAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showOrganisationSettings: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationSettings"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    changeOrganisationSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeOrganisationSettingsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedOrganisationSettings"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    eraseOrganisation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EraseOrganisationRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listOrganisations: {
        parameters: {
            query?: {
                /** @description Only organisations whose ID begins with this. */
                prefix?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOrganisationsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    createPortalLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePortalLinkRequest"];
            };
        };
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatePortalLinkAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showTask: {
        parameters: {
            query?: {
                /** @description Null, or left out: the default of the whole service. */
                orgId?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationTask"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    registerTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RegisterTaskRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedIntegrationTask"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    activateTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ActivateTaskRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedIntegrationTask"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    deactivateTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeactivateTaskRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedIntegrationTask"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTasksAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                orgId?: string;
                userId?: string;
                clientId?: string;
                state?: "active" | "revoked";
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSessionsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    revokeSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RevokeSessionsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeSessionsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: session_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "session_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listConsents: {
        parameters: {
            query: {
                /** @description The ID of an organisation. */
                orgId: string;
                userId?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListConsentsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    withdrawConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a consent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedConsent"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: consent_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "consent_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListClientsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    registerClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterClientRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedClient"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 409: client_exists, too_many_clients; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "client_exists" | "too_many_clients" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    changeClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a client. */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeClientRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedClient"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: client_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "client_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    rotateClientSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a client. */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateClientSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedClient"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: client_not_found; 408: request_timeout; 409: secrets_overlap; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "client_not_found" | "request_timeout" | "secrets_overlap" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    endPreviousClientSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a client. */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedClient"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: client_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "client_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    removeClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of a client. */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedClient"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: client_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "client_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description The ID of an organisation. */
                orgId?: string;
                /** @description Maximum number of items in the page. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListApiKeysAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ID of an API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedApiKey"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: api_key_not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "api_key_not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listViews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListViewsAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a view. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    rebuildView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a view. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RebuildViewRequest"];
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 409: rebuild_under_way; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "rebuild_under_way" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    cancelRebuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a view. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledRebuild"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    skipEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a view. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkipEventRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkippedEvent"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    startVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a view. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 408: request_timeout; 409: rebuild_under_way; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "request_timeout" | "rebuild_under_way" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a view. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_found; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_found" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listSetAside: {
        parameters: {
            query?: {
                /** @description Maximum number of items in the page. */
                limit?: number;
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSetAsideAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    retrySetAside: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetrySetAsideRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetrySetAsideAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 404: not_set_aside; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "not_set_aside" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showActivity: {
        parameters: {
            query?: {
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activity"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listListenersInTrouble: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListListenersInTroubleAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listBacklog: {
        parameters: {
            query?: {
                /** @description The ID of an organisation. */
                orgId?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListBacklogAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    showService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListKeysAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    listOperationalTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOperationalTypesAnswer"];
                };
            };
            /** @description 400: invalid_request; 401: unauthenticated; 403: forbidden; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "unauthenticated" | "forbidden" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    subscribeOperations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeOperationsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationalListener"];
                };
            };
            /** @description 400: target_not_allowed, invalid_request; 401: unauthenticated; 403: forbidden; 408: request_timeout; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "target_not_allowed" | "invalid_request" | "unauthenticated" | "forbidden" | "request_timeout" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    makeSeal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file of the seal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description 401: unauthenticated; 403: forbidden; 409: seal_refused, seal_work_under_way; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "unauthenticated" | "forbidden" | "seal_refused" | "seal_work_under_way" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    checkSeal: {
        parameters: {
            query?: {
                thumbprint?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SealCheck"];
                };
            };
            /** @description 400: invalid_request, seal_not_genuine; 401: unauthenticated; 403: forbidden; 408: request_timeout; 409: seal_work_under_way; 413: payload_too_large; 415: unsupported_media_type; 429: too_many_requests; 500: internal_error; 503: store_unavailable */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "invalid_request" | "seal_not_genuine" | "unauthenticated" | "forbidden" | "request_timeout" | "seal_work_under_way" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "internal_error" | "store_unavailable";
                    };
                };
            };
        };
    };
    checkHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckHealthAnswer"];
                };
            };
            /** @description The headers of the request are too large. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description 500: internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "internal_error";
                    };
                };
            };
        };
    };
    checkReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every part that is required is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description The headers of the request are too large. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A part that is required is not ready. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description 500: internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "internal_error";
                    };
                };
            };
        };
    };
    showMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description 429: too_many_requests; 500: internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "too_many_requests" | "internal_error";
                    };
                };
            };
        };
    };
    showApiDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The description. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShowApiDescriptionAnswer"];
                };
            };
            /** @description The caller has it already (`If-None-Match`). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description 429: too_many_requests; 500: internal_error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @enum {string} */
                        error?: "too_many_requests" | "internal_error";
                    };
                };
            };
        };
    };
}
