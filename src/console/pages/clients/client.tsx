import {
  changeClientRoute,
  endPreviousClientSecretRoute,
  listClientsRoute,
  removeClientRoute,
  rotateClientSecretRoute,
} from '../../../admin/api/contracts/clients.js';
import { type ClientScope, clientScope } from '../../../events/client-events.js';
import { NotFound } from '../../../http/errors.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Copyable, Facts } from '../../components/card.js';
import { CheckBox, CheckBoxes, Confirm, Field, Form } from '../../components/form.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';

type Client = RouteAnswer<typeof listClientsRoute>['items'][number];

export const section = '/clients';

export const trailOf = (at: PageRequest, client?: Client) => [
  { href: at.url(section), text: 'Clients' },
  ...(client ? [{ href: at.url(`${section}/show`, { clientId: client.clientId }), text: client.name }] : []),
];

/** The lines of a text that are not empty. */
export const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const scopesOf = ({ form }: PageRequest): ClientScope[] => {
  const ticked = form.all('scopes');
  return clientScope.options.filter((scope) => ticked.includes(scope));
};

/** Shows a secret, which no later page does. */
export const secretView = (
  at: PageRequest,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): PageView => ({
  title: 'The secret of the client',
  section,
  trail: trailOf(at),
  lead: 'It is shown only now. Enter it at the platform, or keep it where only the platform can read it.',
  content: (
    <>
      <Copyable text={clientSecret} />
      <p class="buttons">
        <a class="button" href={at.url(`${section}/show`, { clientId })}>
          To the client
        </a>
      </p>
    </>
  ),
});

const clientIdOf = ({ query, form }: PageRequest): string => form.text('clientId') ?? query.text('clientId') ?? '';

async function clientOf(at: PageRequest): Promise<Client> {
  const { items } = await at.call(listClientsRoute, {});
  const client = items.find(({ clientId }) => clientId === clientIdOf(at));
  if (!client) throw new NotFound('no client has this ID');
  return client;
}

/** `/clients/show?clientId=`: one client, and its changes. */
export function clientPage(site: Site): void {
  site.get(`${section}/show`, async (at) => {
    const client = await clientOf(at);
    return {
      title: client.name,
      section,
      trail: trailOf(at),
      actions: at.may('owner') && <Actions at={at} client={client} />,
      content: (
        <>
          <section class="card">
            <Facts
              facts={[
                ['Client ID', <code key="id">{client.clientId}</code>],
                ['Type', client.type],
                ['Registered', <Time key="registered" at={client.registeredAt} />],
                ['Secrets', <Secrets key="secrets" secrets={client.secrets} />],
              ]}
            />
          </section>
          <ClientForm at={at} client={client} />
        </>
      ),
    };
  });
  site.post(
    `${section}/change`,
    async (at) => {
      const clientId = clientIdOf(at);
      const body = {
        name: at.form.text('name'),
        redirectUris: linesOf(at.form.text('redirectUris')),
        scopes: scopesOf(at),
      };
      await at.call(changeClientRoute, { params: { clientId }, body });
      return redirectTo(at, `${section}/show`, { clientId, notice: 'client-changed' });
    },
    `${section}/show`,
  );
  secretPages(site);
  removePages(site);
  site.notices({
    'client-registered': 'The client is registered.',
    'client-changed': 'The client has been changed.',
    'previous-secret-ended': 'Only the current secret is accepted now.',
    'client-removed': 'The client has been removed.',
  });
}

const Actions = ({ at, client: { clientId, type, secrets } }: { at: PageRequest; client: Client }) => (
  <>
    {type === 'confidential' && (
      <a class="button" href={at.url(`${section}/rotate-secret`, { clientId })}>
        Rotate the secret
      </a>
    )}
    {secrets.length > 1 && (
      <a class="button" href={at.url(`${section}/end-previous-secret`, { clientId })}>
        End the previous secret
      </a>
    )}
    <a class="button danger" href={at.url(`${section}/remove`, { clientId })}>
      Remove
    </a>
  </>
);

const Secrets = ({ secrets }: { secrets: Client['secrets'] }) =>
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

const ClientForm = ({ at, client }: { at: PageRequest; client: Client }) =>
  at.may('owner') ? (
    <Card title="Settings">
      <Form action={at.url(`${section}/change`)} hidden={{ clientId: client.clientId }}>
        <Field name="name" label="Name" value={client.name} required maxLength={100} />
        <Field
          name="redirectUris"
          label="Redirect URIs"
          lines={3}
          value={client.redirectUris.join('\n')}
          required
          hint="One on each line"
        />
        <CheckBoxes legend="Scopes" name="scopes" all={clientScope.options} ticked={client.scopes} />
        <button type="submit">Save</button>
      </Form>
    </Card>
  ) : (
    <Card title="Settings">
      <Facts
        facts={[
          ['Redirect URIs', client.redirectUris.join(', ')],
          ['Scopes', client.scopes.join(', ')],
        ]}
      />
    </Card>
  );

function secretPages(site: Site): void {
  site.form(`${section}/rotate-secret`, rotateClientSecretRoute, async (at) => {
    const client = await clientOf(at);
    return {
      title: `Rotate the secret of ${client.name}?`,
      section,
      trail: trailOf(at, client),
      content: (
        <Confirm
          once
          label="Rotate the secret"
          cancel={at.url(`${section}/show`, { clientId: client.clientId })}
          hidden={{ clientId: client.clientId }}
          consequences={[
            'A new secret is generated, and shown once.',
            'The previous one stays valid for the time that you choose, so that the platform can be changed meanwhile.',
          ]}
        >
          <Field
            name="overlapHours"
            label="Hours for which the previous secret stays valid"
            hint="Empty: until you end it; 0: not at all"
          />
          {client.secrets.length > 1 && (
            <CheckBox name="discardNewest" label="Discard the newest secret, which the platform does not use yet" />
          )}
        </Confirm>
      ),
    };
  });
  site.post(`${section}/rotate-secret`, async (at) => {
    const clientId = clientIdOf(at);
    const hours = at.form.text('overlapHours');
    const body = {
      overlapHours: hours === undefined ? null : Number(hours),
      discardNewest: at.form.text('discardNewest') === 'true',
    };
    const { clientSecret } = await at.call(rotateClientSecretRoute, { params: { clientId }, body });
    return secretView(at, { clientId, clientSecret: clientSecret ?? '' });
  });
  site.form(`${section}/end-previous-secret`, endPreviousClientSecretRoute, async (at) => {
    const client = await clientOf(at);
    return {
      title: `End the previous secret of ${client.name}?`,
      section,
      trail: trailOf(at, client),
      content: (
        <Confirm
          label="End the previous secret"
          cancel={at.url(`${section}/show`, { clientId: client.clientId })}
          hidden={{ clientId: client.clientId }}
          danger
          consequences={['A platform that still uses the previous secret is refused at once.']}
        />
      ),
    };
  });
  site.post(`${section}/end-previous-secret`, async (at) => {
    const clientId = clientIdOf(at);
    await at.call(endPreviousClientSecretRoute, { params: { clientId } });
    return redirectTo(at, `${section}/show`, { clientId, notice: 'previous-secret-ended' });
  });
}

function removePages(site: Site): void {
  site.form(`${section}/remove`, removeClientRoute, async (at) => {
    const client = await clientOf(at);
    return {
      title: `Remove ${client.name}?`,
      section,
      trail: trailOf(at, client),
      content: (
        <Confirm
          label="Remove the client"
          cancel={at.url(`${section}/show`, { clientId: client.clientId })}
          hidden={{ clientId: client.clientId }}
          danger
          consequences={[
            'Its users cannot sign in or refresh their tokens any more: their connections at the platform break.',
            'Listeners that it registered stay.',
          ]}
        />
      ),
    };
  });
  site.post(`${section}/remove`, async (at) => {
    await at.call(removeClientRoute, { params: { clientId: clientIdOf(at) } });
    return redirectTo(at, section, { notice: 'client-removed' });
  });
}
