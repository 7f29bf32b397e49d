import type { OpenApiDocument } from '../../../src/http/api-description/openapi-document.js';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider/identity-provider.js';
import type { FuzzSettings } from './configuration.js';
import { type FuzzedService, startFuzzedService } from './fuzzed-service.js';
import { generatedRequests } from './generated-requests.js';

/** Ends or removes what other requests need: after the others. */
const destructive = '/(revoke|erase|remove|unsubscribe|withdraw|deactivate|rebuild|skip|cancel)(/|$)';

/**
 * Defines the tests that send generated requests to every route of production mode: valid ones and invalid ones, with each kind of
 * credentials. `start`: see `startFuzzedService`.
 */
export function fuzzRoutes(
  start: Parameters<typeof startFuzzedService>[0],
  amount: Pick<FuzzSettings, 'maxExamples' | 'coverage'>,
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

  const send = (credentials: Partial<FuzzedService['credentials']>, ...args: readonly string[]) =>
    requests.send(fuzzed.service, { credentials, known: fuzzed.known, ...amount }, ...args);

  /** Arguments for the routes that accept these credentials. */
  async function accepting(scheme: string): Promise<readonly string[]> {
    const { paths } = (await fuzzed.service.fetch('/openapi.json')).body as OpenApiDocument;
    return Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .filter(({ security }) => (security as object[]).some((needed) => scheme in needed))
      .flatMap(({ operationId }) => ['--include-operation-id', operationId]);
  }

  it('are answered as described, if they destroy nothing', () =>
    send(fuzzed.credentials, '--exclude-path-regex', destructive));

  it('are answered as described with an API key', async () => {
    const { apiKey } = fuzzed.credentials;
    await send({ apiKey }, ...(await accepting('apiKey')));
  });

  it('are answered as described with an access token', async () => {
    const { accessToken } = fuzzed.credentials;
    await send({ accessToken }, ...(await accepting('accessToken')));
  });

  it('are answered as described if they end, remove and erase', () =>
    send(fuzzed.credentials, '--include-path-regex', destructive));
}
