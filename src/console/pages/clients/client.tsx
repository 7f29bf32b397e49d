import {
  changeClientRoute,
  endPreviousClientSecretRoute,
  listClientsRoute,
  removeClientRoute,
  rotateClientSecretRoute,
} from '../../../admin/api/contracts/clients.js';
import { NotFound } from '../../../http/errors.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, ShownOnce } from '../../../site/components/card.js';
import { FactsOf } from '../../../site/components/shown.js';
import { Time } from '../../../site/components/time.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { PageView, Site } from '../../../site/page-view.js';

type Client = RouteAnswer<typeof listClientsRoute>['items'][number];

export const clientHref = (at: PageRequest, clientId: string): string => at.url('/clients/show', { clientId });

export const secretView = (at: PageRequest, clientId: string, clientSecret: string): PageView => ({
  title: 'The secret of the client',
  lead: 'It is shown only now. Enter it at the platform, or keep it where only the platform can read it.',
  content: <ShownOnce texts={[clientSecret]} href={clientHref(at, clientId)} text="To the client" />,
});

const clientIdOf = ({ query, form }: PageRequest): string => form.text('clientId') ?? query.text('clientId') ?? '';

async function clientOf(at: PageRequest): Promise<Client> {
  const { items } = await at.call(listClientsRoute, {});
  const client = items.find(({ clientId }) => clientId === clientIdOf(at));
  if (!client) throw new NotFound('no client has this ID');
  return client;
}

/** Settings that all actions on a client have. */
const ofClient = {
  read: clientOf,
  above: (at: PageRequest, client: Client | undefined) => ({
    href: clientHref(at, clientIdOf(at)),
    text: client?.name ?? '',
  }),
};

/** `/clients/show?clientId=`: one client, and its changes. */
export function clientPage(site: Site): void {
  const change = routeAction(site, '/clients/change', changeClientRoute, {
    ...ofClient,
    label: 'Save',
    on: '/clients/show',
    fields: {
      name: { label: 'Name', required: true },
      redirectUris: { label: 'Redirect URIs', lines: 3, required: true, hint: 'One on each line' },
      scopes: 'Scopes',
    },
    done: 'The client has been changed.',
  });
  const { rotate, end } = secretActions(site);
  const remove = routeAction(site, '/clients/remove', removeClientRoute, {
    ...ofClient,
    to: '/clients',
    label: 'Remove the client',
    link: 'Remove',
    title: ({ name }) => `Remove ${name}?`,
    danger: true,
    consequences: [
      'Its users cannot sign in or refresh their tokens any more: their connections at the platform break.',
      'Listeners that it registered stay.',
    ],
    done: 'The client has been removed.',
  });

  site.get('/clients/show', async (at) => {
    const client = await clientOf(at);
    const { clientId, secrets } = client;
    return {
      title: client.name,
      actions: (
        <>
          {client.type === 'confidential' && rotate.button(at, { clientId })}
          {secrets.length > 1 && end.button(at, { clientId }, { class: '' })}
          {remove.button(at, { clientId })}
        </>
      ),
      content: (
        <>
          <section class="card">
            <FactsOf
              of={client}
              facts={{
                'Client ID': () => <code>{clientId}</code>,
                Type: 'type',
                Registered: 'registeredAt',
                Secrets: () => <Secrets secrets={secrets} />,
              }}
            />
          </section>
          <Card title="Settings">
            {change.may(at) ? (
              change.form(at, client, { clientId })
            ) : (
              <FactsOf of={client} facts={{ 'Redirect URIs': 'redirectUris', Scopes: 'scopes' }} />
            )}
          </Card>
        </>
      ),
    };
  });
}

function secretActions(site: Site) {
  const rotate = routeAction(site, '/clients/rotate-secret', rotateClientSecretRoute, {
    ...ofClient,
    label: 'Rotate the secret',
    title: ({ name }) => `Rotate the secret of ${name}?`,
    once: true,
    consequences: [
      'A new secret is generated, and shown once.',
      'The previous one stays valid for the time that you choose, so that the platform can be changed meanwhile.',
    ],
    fields: {
      overlapHours: {
        label: 'Hours for which the previous secret stays valid',
        hint: 'Empty: until you end it; 0: not at all',
      },
      discardNewest: {
        label: 'Discard the newest secret, which the platform does not use yet',
        when: ({ secrets }) => secrets.length > 1,
      },
    },
    answers: ({ clientSecret = '' }, at) => secretView(at, clientIdOf(at), clientSecret),
  });
  const end = routeAction(site, '/clients/end-previous-secret', endPreviousClientSecretRoute, {
    ...ofClient,
    label: 'End the previous secret',
    title: ({ name }) => `End the previous secret of ${name}?`,
    danger: true,
    consequences: ['A platform that still uses the previous secret is refused at once.'],
    done: 'Only the current secret is accepted now.',
  });
  return { rotate, end };
}

const Secrets = ({ secrets }: Pick<Client, 'secrets'>) =>
  secrets.length === 0 ? (
    <>none</>
  ) : (
    <ul>
      {secrets.map(({ createdAt, until }, index) => (
        <li key={createdAt}>
          {index === 0 ? 'Current, of ' : 'Previous, of '}
          <Time at={createdAt} />
          {index > 0 &&
            (until === null ? (
              ', until it is ended'
            ) : (
              <>
                , until <Time at={until} />
              </>
            ))}
        </li>
      ))}
    </ul>
  );
