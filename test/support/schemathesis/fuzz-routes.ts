import type { OpenApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider/identity-provider.js';
import type { FuzzSettings } from './configuration.js';
import { type FuzzedService, startFuzzedService } from './fuzzed-service.js';
import { generatedRequests } from './generated-requests.js';

/** Ends or removes what other requests need: after the others. */
const destructive = '/(revoke|erase|remove|unsubscribe|withdraw|deactivate|rebuild|skip|cancel)(/|$)';

const credentialKinds = [
  ['an API key', 'apiKey'],
  ['an access token', 'accessToken'],
] as const;

type FuzzAmount = Pick<FuzzSettings, 'maxExamples' | 'coverage'> & {
  /** Also send requests with one kind of credentials at a time, which no store makes a difference to. */
  eachCredential: boolean;
};

/**
 * Defines the tests that send generated requests to every route of production mode: valid ones and invalid ones. `start`: see `startFuzzedService`.
 */
export function fuzzRoutes(
  start: Parameters<typeof startFuzzedService>[0],
  { eachCredential, ...amount }: FuzzAmount,
): void {
  const requests = generatedRequests();
  let provider: IdentityProvider;
  let fuzzed: FuzzedService;

  before(async () => {
    provider = await startIdentityProvider('https://hooks.example.com/oauth2/callback');
    fuzzed = await startFuzzedService(start, provider);
  });
  after(async () => {
    await fuzzed?.service.stop();
    await provider.stop();
    console.log(requests.summary());
  });

  const settings = () => ({ credentials: fuzzed.credentials, known: fuzzed.known, ...amount, stateful: true });

  it('are answered as described, if they destroy nothing', () =>
    requests.send(fuzzed.service, settings(), '--exclude-path-regex', destructive));

  for (const [name, scheme] of eachCredential ? credentialKinds : []) {
    it(`are answered as described with ${name}`, async () => {
      const { paths } = (await fuzzed.service.fetch('/openapi.json')).body as OpenApiDocument;
      const accepting = Object.values(paths)
        .flatMap((operations) => Object.values(operations))
        .filter(({ security }) => (security as object[]).some((needed) => scheme in needed))
        .flatMap(({ operationId }) => ['--include-operation-id', operationId]);
      // The first test has sent the requests for each limit of each schema, and most of the generated ones.
      const ofOneKind = {
        credentials: { [scheme]: fuzzed.credentials[scheme] },
        coverage: false,
        stateful: false,
        maxExamples: 1,
      };
      await requests.send(fuzzed.service, { ...settings(), ...ofOneKind }, ...accepting);
    });
  }

  it('are answered as described if they end, remove and erase', () =>
    requests.send(fuzzed.service, settings(), '--include-path-regex', destructive));
}
