import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from '../../../admin/api/contracts/api-keys.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { ShownOnce } from '../../../site/components/card.js';
import { CheckBox } from '../../../site/components/form.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { Subject } from '../../../site/page-view.js';
import { NewOrganisation, organisationField, requireKnownOrganisation } from '../organisation.js';

/** `/api-keys`: keys of producers and integrations; creating and revoking. */
export const apiKeyPages: Subject = (site) => {
  const create = routeAction(site, '/api-keys/new', createApiKeyRoute, {
    link: 'Create a key',
    title: 'Create an API key',
    label: 'Create',
    primary: true,
    once: true,
    card: '',
    fields: {
      name: { label: 'Name', hint: 'Where the key is used' },
      orgId: organisationField(),
      newOrganisation: (at) => <NewOrganisation at={at} />,
      everyOrganisation: () => <CheckBox name="everyOrganisation" label="For every organisation" />,
      scopes: 'Scopes',
      expiresAt: { label: 'Expires (UTC)', hint: 'Empty: never' },
    },
    async sends(fields, at) {
      // A key for all organisations is never made because a field was left empty.
      const named = at.form.text('orgId');
      const orgId = at.form.text('everyOrganisation') === 'true' ? null : (named ?? '');
      if (orgId === null && named !== undefined)
        throw new InvalidRequest('orgId: name an organisation, or choose “For every organisation”, not both');
      if (orgId !== null) await requireKnownOrganisation(at, orgId);
      return { ...fields, orgId };
    },
    answers: ({ key }, at) => ({
      title: 'The API key',
      lead: 'It is shown only now. Keep it where only the producer can read it.',
      content: <ShownOnce texts={[key]} href={at.url('/api-keys')} text="To the API keys" />,
    }),
  });
  const revoke = routeAction(site, '/api-keys/revoke', revokeApiKeyRoute, {
    label: 'Revoke',
    title: (_, { query }) => `Revoke the key ${query.text('name') ?? ''}?`,
    danger: true,
    consequences: [
      'Requests with the key are refused at once, on every instance.',
      'A new key has to be created and installed instead.',
    ],
    done: 'The key has been revoked. It is refused on every instance.',
  });

  routeList(site, '/api-keys', listApiKeysRoute, {
    title: 'API keys',
    lead: 'Keys with which producers publish flow events, and integrations register and read listeners.',
    filters: { orgId: organisationField() },
    keyOf: ({ id }) => id,
    actions: (at) => create.button(at, at.query.pick('orgId')),
    columns: (at) => ({
      Name: 'name',
      Organisation: { show: 'orgId', none: 'every one' },
      Scopes: 'scopes',
      State: 'state',
      Created: { show: 'createdAt', headed: true },
      'Last used': { show: 'lastUsedAt', none: 'never', relative: true, headed: true },
      Expires: { show: 'expiresAt', none: 'never', headed: true },
      Action: revoke.may(at)
        ? ({ id, name, state }) => state === 'active' && revoke.button(at, { id, name })
        : undefined,
    }),
    empty: {
      title: 'No API keys',
      text: "A producer needs one to publish flow events without a user's token. Create it here, or with:",
      command: 'api-keys create --name erp --org acme --scope flows:publish',
    },
  });
};
