import { expect } from 'chai';
import { adminContracts } from '../../../src/admin/api/all-routes.js';
import type { AnyAdminRoute } from '../../../src/admin/api/routing/admin-route.js';
import { Forbidden } from '../../../src/http/errors.js';
import { DomainError } from '../../../src/kernel/domain-error.js';
import type { JsonObject } from '../../../src/stores/event-store/event-store.js';
import { logOf } from '../../support/deliveries/log-of.js';
import { type GivenOrganisation, givenOrganisation, limitedTo, orgId, requestFor } from './given-organisation.js';

const routesOf = (...places: readonly string[]) =>
  adminContracts.filter(({ access }) => places.includes(access.organisation));
const nameOf = ({ method, path }: AnyAdminRoute) => `${method} ${path}`;

const unknownId = '00000000-0000-4000-8000-000000000000';
const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

describe('the scope of a caller of another organisation', function () {
  this.timeout(60_000);
  let given: GivenOrganisation;
  let whole: Awaited<ReturnType<typeof contents>>;

  before(async () => {
    given = await givenOrganisation();
  });
  beforeEach(async () => {
    whole = await contents();
  });
  after(() => given.stop());

  /** The end of the events, and the organisation's deliveries with their attempts. */
  async function contents() {
    const { store, queue } = given;
    const deliveries = (await queue.deliveries({ orgId })).deliveries;
    const attempts = await Promise.all(deliveries.map(({ id }) => logOf(queue, orgId, id)));
    return { head: await store.head(), deliveries, attempts };
  }

  type Sent = ReturnType<typeof requestFor>;

  /** The answer or the error. */
  const outcomeOf = (contract: AnyAdminRoute, request: Sent): Promise<unknown> =>
    given.api.call(contract, request, limitedTo('other')).catch((error: unknown) => error);

  it('is declared for every route', () => {
    expect(routesOf('query', 'body', 'of-object', 'service')).to.have.length(adminContracts.length);
  });

  for (const contract of routesOf('service'))
    it(`does not contain ${nameOf(contract)}, which concerns the whole service`, async () => {
      expect(await outcomeOf(contract, requestFor(contract, given.objects))).to.be.instanceOf(Forbidden);
      expect(await contents()).to.deep.equal(whole);
    });

  for (const contract of routesOf('query', 'body'))
    it(`does not contain this organisation in ${nameOf(contract)}`, async () => {
      expect(await outcomeOf(contract, requestFor(contract, given.objects))).to.be.instanceOf(Forbidden);
      expect(await contents()).to.deep.equal(whole);
    });

  for (const contract of routesOf('query', 'body', 'of-object'))
    it(`hides this organisation's objects from ${nameOf(contract)}, as if they did not exist`, async () => {
      const request = withoutOrganisation(requestFor(contract, given.objects));
      const outcome = await outcomeOf(contract, request);
      if (contract.access.organisation === 'of-object') expect(outcome).to.be.instanceOf(DomainError);
      expect(seenOf(outcome)).to.not.match(/a-secret-path|acme/);
      expect(comparable(outcome)).to.deep.equal(comparable(await outcomeOf(contract, ofUnknownObjects(request))));

      const { head, ...rest } = await contents();
      expect(rest).to.deep.equal({ deliveries: whole.deliveries, attempts: whole.attempts });
      for await (const { data } of given.store.readAll({ from: whole.head }))
        expect(data as JsonObject).to.include({ orgId: 'other' });
      if (contract.access.organisation === 'of-object') expect(head).to.equal(whole.head);
    });

  /** Request with the IDs of no objects. */
  function ofUnknownObjects(request: Sent): Sent {
    let text = JSON.stringify(request).replaceAll(uuid, unknownId);
    for (const id of Object.values(given.objects)) text = text.replaceAll(`"${id}"`, `"${unknownId}"`);
    return JSON.parse(text) as Sent;
  }

  /** An error without IDs; nothing of an answer, which may contain generated values. */
  function comparable(outcome: unknown) {
    if (!(outcome instanceof Error)) return 'an answer';
    if (!(outcome instanceof DomainError)) throw outcome;
    return {
      code: outcome.code,
      message: outcome.message.replaceAll(uuid, 'ID').replaceAll(given.objects.flows ?? '', 'ID'),
    };
  }
});

function withoutOrganisation<Sent extends { query: object; body: object }>(request: Sent): Sent {
  const without = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'orgId'));
  return { ...request, query: without(request.query), body: without(request.body) };
}

const seenOf = (outcome: unknown): string =>
  outcome instanceof Error ? outcome.message : (JSON.stringify(outcome) ?? '');
