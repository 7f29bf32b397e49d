import { expect } from 'chai';
import type { OrganisationEvent } from '../../src/events/organisation-events.js';
import {
  changeOrganisationSettings,
  decideOrganisationSettings,
  organisationDecider,
  organisationSettings,
} from '../../src/listeners/organisation-settings.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { given as givenHistory } from '../support/given.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const given = (...history: OrganisationEvent[]) => givenHistory(organisationDecider, history);
const changed = (data: Partial<OrganisationEvent['data']> = {}): OrganisationEvent => ({
  type: 'OrganisationSettingsChanged',
  data: { orgId: 'acme', ordered: false, ratePerSecond: null, eventTypeCheck: 'off', ...data },
});
const change =
  (wanted: Omit<Parameters<typeof decideOrganisationSettings>[0], 'orgId'>) =>
  (settings: Parameters<typeof decideOrganisationSettings>[1]) =>
    decideOrganisationSettings({ orgId: 'acme', ...wanted }, settings);

describe("an organisation's settings", () => {
  it('are unordered, without a rate and without a check at first', () =>
    expect(given().state).to.deep.equal({ ordered: false, ratePerSecond: null, eventTypeCheck: 'off' }));

  it('change the given settings and keep the others', () => {
    given()
      .when(change({ ordered: true }))
      .then([changed({ ordered: true })]);
    given(changed({ ordered: true, ratePerSecond: 5 }))
      .when(change({ ratePerSecond: null }))
      .then([changed({ ordered: true })]);
  });

  it('check event types as the organisation wishes, and keep that through other changes', () => {
    given()
      .when(change({ eventTypeCheck: 'refuse' }))
      .then([changed({ eventTypeCheck: 'refuse' })]);
    given(changed({ eventTypeCheck: 'refuse' }))
      .when(change({ ordered: true }))
      .then([changed({ ordered: true, eventTypeCheck: 'refuse' })]);
  });

  it('append nothing if nothing changes', () => {
    given().when(change({})).then([]);
    given(changed({ ratePerSecond: 5 }))
      .when(change({ ordered: false, ratePerSecond: 5 }))
      .then([]);
  });

  it('are separate for each organisation', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const context = { cause: { actor: 'test', correlationId: 'test' }, now: new Date() };
    await changeOrganisationSettings(store, { orgId: 'acme', ratePerSecond: 5 }, context);
    expect(await organisationSettings(store, 'acme')).to.deep.equal({
      ordered: false,
      ratePerSecond: 5,
      eventTypeCheck: 'off',
    });
    expect(await organisationSettings(store, 'other')).to.deep.equal({
      ordered: false,
      ratePerSecond: null,
      eventTypeCheck: 'off',
    });
    await store.close();
  });
});
