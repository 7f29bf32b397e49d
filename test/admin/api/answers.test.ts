import { expect } from 'chai';
import { adminContracts } from '../../../src/admin/api/all-routes.js';
import { readFeedRoute } from '../../../src/admin/api/contracts/feed.js';
import { subscribeListenerRoute } from '../../../src/admin/api/contracts/listeners.js';
import { activateTaskRoute } from '../../../src/admin/api/contracts/tasks.js';
import type { AnyAdminRoute } from '../../../src/admin/api/routing/admin-route.js';
import {
  anOwner,
  type GivenOrganisation,
  givenOrganisation,
  limitedTo,
  orgId,
  requestFor,
} from './given-organisation.js';

const reading = adminContracts.filter(({ access }) => access.role === 'viewer');
const changing = adminContracts.filter((contract) => !reading.includes(contract));

/** Lists listeners with an open circuit breaker, and deliveries that wait: the organisation has none. */
const mayBeEmpty = ['/admin/api/listeners-in-trouble', '/admin/api/backlog'];

const needActiveTask: readonly AnyAdminRoute[] = [subscribeListenerRoute, readFeedRoute];

describe('the answers of the admin API', function () {
  this.timeout(60_000);
  let given: GivenOrganisation;

  /** Calls the route as a caller who is limited to the organisation, where the route is for such callers. */
  async function requireFit(contract: AnyAdminRoute): Promise<void> {
    const caller = contract.access.organisation === 'service' ? anOwner : limitedTo(orgId);
    if (needActiveTask.includes(contract)) await given.api.call(activateTaskRoute, { body: { orgId } }, anOwner);
    const answer = asSent(await given.api.call(contract, requestFor(contract, given.objects), caller));
    expect(contract.answer.schema.parse(answer)).to.deep.equal(answer);
    if (typeof answer === 'object' && answer && 'items' in answer && !mayBeEmpty.includes(contract.path))
      expect(answer).to.have.property('items').that.is.an('array').that.is.not.empty;
  }

  describe('that change nothing', () => {
    before(async () => {
      given = await givenOrganisation();
    });
    after(() => given.stop());

    for (const contract of reading)
      it(`fit the contract of ${contract.method} ${contract.path}`, () => requireFit(contract));
  });

  describe('that change something', () => {
    beforeEach(async () => {
      given = await givenOrganisation();
    });
    afterEach(() => given.stop());

    for (const contract of changing)
      it(`fit the contract of ${contract.method} ${contract.path}`, () => requireFit(contract));
  });
});

const asSent = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer));
