import { expect } from 'chai';
import type { OpenApiDocument } from '../../../src/http/api-description/openapi-document.js';
import type { ServiceProcess } from '../service/service.js';
import { fuzzConfiguration } from './configuration.js';
import { type FuzzedService, startFuzzedService } from './fuzzed-service.js';
import { runSchemathesis } from './run-schemathesis.js';

/** Ends or removes what other requests need: after the others. */
const destructive = '/(revoke|erase|remove|unsubscribe|withdraw|deactivate|rebuild|skip|cancel)(/|$)';

/**
 * Defines the tests that send generated requests to every route of a service: valid ones and invalid ones, with each kind of credentials.
 * `maxExamples`: see `fuzzConfiguration`.
 */
export function fuzzRoutes(start: Parameters<typeof startFuzzedService>[0], maxExamples: number): void {
  let fuzzed: FuzzedService;
  let service: ServiceProcess;
  let cases = 0;
  let seconds = 0;

  before(async () => {
    fuzzed = await startFuzzedService(start);
    service = fuzzed.service;
  });
  after(async () => {
    await service?.stop();
    console.log(`schemathesis: ${cases} cases in ${Math.round(seconds)} s`);
  });

  async function send(credentials: Partial<FuzzedService['credentials']>, ...args: readonly string[]): Promise<void> {
    const startedAt = performance.now();
    const configuration = fuzzConfiguration({ credentials, known: fuzzed.known, maxExamples });
    const run = await runSchemathesis(service.origin, configuration, ...args);
    cases += run.cases;
    seconds += (performance.now() - startedAt) / 1_000;
    expect(run.passed, run.printed).to.equal(true);
    expect(run.cases).to.be.above(0);
    expect(failuresIn(service)).to.deep.equal([]);
  }

  /** Arguments for the routes that accept these credentials. */
  async function accepting(scheme: string): Promise<readonly string[]> {
    const { paths } = (await service.fetch('/openapi.json')).body as OpenApiDocument;
    return Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .filter(({ security }) => (security as object[]).some((needed) => scheme in needed))
      .flatMap(({ operationId }) => ['--include-operation-id', operationId]);
  }

  it('answers as described to all requests that destroy nothing', () =>
    send(fuzzed.credentials, '--exclude-path-regex', destructive));

  it('answers as described to the same requests with an API key', async () => {
    const { apiKey } = fuzzed.credentials;
    await send({ apiKey }, ...(await accepting('apiKey')));
  });

  it('answers as described to the same requests with an access token', async () => {
    const { accessToken } = fuzzed.credentials;
    await send({ accessToken }, ...(await accepting('accessToken')));
  });

  it('answers as described to requests that end, remove and erase', () =>
    send(fuzzed.credentials, '--include-path-regex', destructive));
}

/** Failures that the service has logged: a 500 that the specification requires is none. */
const failuresIn = (service: ServiceProcess): readonly string[] =>
  service
    .printed()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line));
