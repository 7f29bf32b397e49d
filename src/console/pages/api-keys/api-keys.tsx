import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from '../../../admin/api/contracts/api-keys.js';
import { apiKeyScopes } from '../../../events/api-key-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Copyable, Empty } from '../../components/card.js';
import { CheckBox, CheckBoxes, Confirm, Field, FilterBar, Form, Results, Submit } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { Badge } from '../../components/tone.js';
import { utcInstant } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site, type Subject } from '../../page-view.js';
import { NewOrganisation, requireKnownOrganisation } from '../organisation.js';

type ApiKey = RouteAnswer<typeof listApiKeysRoute>['items'][number];

const section = '/api-keys';
const pageSize = 50;
const trailOf = (at: PageRequest) => [{ href: at.url(section), text: 'API keys' }];

/** `/api-keys`: keys of producers and integrations; creating and revoking. */
export const apiKeyPages: Subject = (site) => {
  site.get(section, async (at) => {
    const { items, next } = await at.call(listApiKeysRoute, {
      query: { ...at.query.pick('orgId', 'after'), limit: String(pageSize) },
    });
    return {
      title: 'API keys',
      section,
      lead: 'Keys with which producers publish flow events, and integrations register and read listeners.',
      actions: at.may('owner') && (
        <a class="button primary" href={at.url(`${section}/new`, at.query.pick('orgId'))}>
          Create a key
        </a>
      ),
      content: (
        <>
          <FilterBar>
            <Field name="orgId" label="Organisation" maxLength={256} />
          </FilterBar>
          <Results>
            <ApiKeys at={at} keys={items} />
            <Pager next={next} />
          </Results>
        </>
      ),
    };
  });
  createPages(site);
  revokePages(site);
  site.notices({ 'api-key-revoked': 'The key has been revoked. It is refused on every instance.' });
};

function createPages(site: Site): void {
  site.form(`${section}/new`, createApiKeyRoute, async (at) => ({
    title: 'Create an API key',
    section,
    trail: trailOf(at),
    content: (
      <section class="card">
        <Form once>
          <Field name="name" label="Name" required maxLength={128} hint="Where the key is used" />
          <Field
            name="orgId"
            label="Organisation"
            value={at.query.text('orgId')}
            maxLength={256}
            suggestHref={at.url('/organisations/names')}
          />
          <NewOrganisation at={at} />
          <CheckBox name="everyOrganisation" label="For every organisation" />
          <CheckBoxes legend="Scopes" name="scopes" all={apiKeyScopes} />
          <Field name="expiresAt" label="Expires (UTC)" type="datetime-local" hint="Empty: never" />
          <Submit label="Create" />
        </Form>
      </section>
    ),
  }));
  site.post(`${section}/new`, async (at) => {
    const ticked = at.form.all('scopes');
    // A key for all organisations is never made because a field was left empty.
    const named = at.form.text('orgId');
    const orgId = at.form.text('everyOrganisation') === 'true' ? null : (named ?? '');
    if (orgId === null && named !== undefined)
      throw new InvalidRequest('orgId: name an organisation, or choose “For every organisation”, not both');
    if (orgId !== null) await requireKnownOrganisation(at, orgId);
    const key = await at.call(createApiKeyRoute, {
      body: {
        name: at.form.text('name') ?? '',
        orgId,
        scopes: apiKeyScopes.filter((scope) => ticked.includes(scope)),
        expiresAt: utcInstant(at.form.text('expiresAt')) ?? null,
      },
    });
    return {
      title: 'The API key',
      section,
      trail: trailOf(at),
      lead: 'It is shown only now. Keep it where only the producer can read it.',
      content: (
        <>
          <Copyable text={key.key} />
          <p class="buttons">
            <a class="button" href={at.url(section)}>
              To the API keys
            </a>
          </p>
        </>
      ),
    };
  });
}

function revokePages(site: Site): void {
  site.form(`${section}/revoke`, revokeApiKeyRoute, async (at) => ({
    title: `Revoke the key ${at.query.text('name') ?? ''}?`,
    section,
    trail: trailOf(at),
    content: (
      <Confirm
        label="Revoke"
        cancel={at.url(section)}
        hidden={{ id: at.query.text('id') }}
        danger
        consequences={[
          'Requests with the key are refused at once, on every instance.',
          'A new key has to be created and installed instead.',
        ]}
      />
    ),
  }));
  site.post(`${section}/revoke`, async (at) => {
    await at.call(revokeApiKeyRoute, { params: { id: at.form.text('id') ?? '' } });
    return redirectTo(at, section, { notice: 'api-key-revoked' });
  });
}

const tones = { active: 'good', expired: 'warn', revoked: 'neutral' } as const;

const ApiKeys = ({ at, keys }: { at: PageRequest; keys: readonly ApiKey[] }) => (
  <Table
    caption="API keys"
    rows={keys}
    keyOf={({ id }) => id}
    empty={
      <Empty title="No API keys">
        <p>A producer needs one to publish flow events without a user's token. Create it here, or with:</p>
        <Copyable text={at.commands.cli('api-keys create --name erp --org acme --scope flows:publish')} />
      </Empty>
    }
    columns={[
      { head: 'Name', cell: ({ name }) => name },
      {
        head: 'Organisation',
        cell: ({ orgId }) =>
          orgId === null ? 'every one' : <a href={at.url('/organisations/show', { orgId })}>{orgId}</a>,
      },
      { head: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
      { head: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
      { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        head: 'Last used',
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} relative />),
      },
      { head: 'Expires', cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} />) },
      ...(at.may('owner') ? [{ head: 'Action', cell: (key: ApiKey) => <Revoke at={at} apiKey={key} /> }] : []),
    ]}
  />
);

const Revoke = ({ at, apiKey: { id, name, state } }: { at: PageRequest; apiKey: ApiKey }) =>
  state === 'active' ? (
    <a class="button danger" href={at.url(`${section}/revoke`, { id, name })}>
      Revoke
    </a>
  ) : null;
