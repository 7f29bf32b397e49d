import type { FuzzedService } from './fuzzed-service.js';

type Credentials = Partial<FuzzedService['credentials']>;

export type FuzzSettings = {
  credentials: Credentials;
  /** See `FuzzedService`: every second generated value is of these. */
  known: FuzzedService['known'];
  /** Maximum number of generated requests of each kind for a route. */
  maxExamples: number;
  /** Also send a request for each limit in each schema: the most requests by far. */
  coverage: boolean;
  /** Also send requests with values of earlier answers. */
  stateful: boolean;
};

/** Routes on which a check would find what is meant to be so. */
const exceptions = `
[[operations]] # the specification requires 500 for a listener that was never registered, and while no integration task is active
include-path-regex = "/(subscribe|unsubscribe)/flows$"
[operations.checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 500]

[[operations]] # as above; a caller without credentials gets samples for any query
include-path-regex = "/perform-list$"
[operations.checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 500]
negative_data_rejection.enabled = false

[[operations]] # platforms send empty fields for those that a user has not filled in
include-path-regex = "/subscription-types$"
[operations.checks]
negative_data_rejection.enabled = false

[[operations]] # GET of these paths is that of an object with the ID "redeliver", "search" …
include-path = ["/admin/api/deliveries/redeliver", "/admin/api/listeners/search"]
[operations.checks]
allow_header_conformance.enabled = false

[[operations]] # a flow event is found in its organisation only, for which an inferred link sends the event's id
include-path-regex = "^/admin/api/flows/"
[operations.checks]
ensure_resource_availability.enabled = false

[[operations]] # events of a batch are rejected one by one, with 202
include-path-regex = "^/api/flows(/batch)?$"
[operations.checks]
negative_data_rejection.enabled = false

[[operations]] # client credentials are not read beside an admin key; with two of them the request is refused as malformed, by 400
include-path-regex = "^/(introspect|revoke|access|refresh)$"
[operations.checks]
negative_data_rejection.enabled = false
ignored_auth.enabled = false
`;

/**
 * The configuration file of schemathesis. Every check is on but `positive_data_acceptance`: rules between fields, and values that have
 * to exist, are in no schema.
 */
export const fuzzConfiguration = ({ credentials, known, maxExamples, coverage, stateful }: FuzzSettings): string => `
seed = 24
continue-on-failure = true
suppress-health-check = ["too_slow"] # other tests keep the processors busy
request-timeout = 60
${Object.entries(known)
  .map(([name, values]) => `[dictionaries."${name}"]\nvalues = ${JSON.stringify(values)}`)
  .join('\n')}
[parameters]
${Object.keys(known)
  .map((name) => `"${name}" = { dictionary = "${name}", probability = 0.5 }`)
  .join('\n')}
[generation]
max-examples = ${maxExamples}
no-shrink = true
database = "none"
[phases.coverage]
enabled = ${coverage}
unexpected-methods = ["PUT"] # every route refuses the others in the same way
[phases.stateful]
enabled = ${stateful}
[checks]
positive_data_acceptance.enabled = false
${Object.entries(credentials)
  .map(([scheme, bearer]) => `[auth.openapi.${scheme}]\nbearer = "${bearer}"`)
  .join('\n')}
${exceptions}`;
