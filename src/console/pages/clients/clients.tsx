import { listClientsRoute, registerClientRoute } from '../../../admin/api/contracts/clients.js';
import { clientScope } from '../../../events/client-events.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Copyable, Empty } from '../../components/card.js';
import { CheckBoxes, Field, Form, Submit } from '../../components/form.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Subject } from '../../page-view.js';
import { clientPage, linesOf, scopesOf, secretView, section, trailOf } from './client.js';

type Client = RouteAnswer<typeof listClientsRoute>['items'][number];

/** `/clients`: the registered platforms; registering, changing, rotating secrets and removing. */
export const clientPages: Subject = (site) => {
  site.get(section, async (at) => {
    const { items } = await at.call(listClientsRoute, {});
    return {
      title: 'Clients',
      section,
      lead: 'Platforms whose users sign in here. Once one is registered, the token routes require a client.',
      actions: at.may('owner') && (
        <a class="button primary" href={at.url(`${section}/new`)}>
          Register a client
        </a>
      ),
      content: <Clients at={at} clients={items} />,
    };
  });

  site.form(`${section}/new`, registerClientRoute, async (at) => ({
    title: 'Register a client',
    section,
    trail: trailOf(at),
    content: (
      <section class="card">
        <Form once>
          <Field name="name" label="Name" required maxLength={100} />
          <Field name="clientId" label="Client ID" maxLength={64} hint="Permanent. Empty: one is generated" />
          <Field
            name="type"
            label="Type"
            options={[
              { value: 'confidential', text: 'Confidential: it keeps a secret' },
              { value: 'public', text: 'Public: it has no secret, and uses PKCE' },
            ]}
          />
          <Field name="redirectUris" label="Redirect URIs" lines={3} required hint="One on each line" />
          <CheckBoxes legend="Scopes" name="scopes" all={clientScope.options} ticked={['listeners']} />
          <Submit label="Register" />
        </Form>
      </section>
    ),
  }));

  site.post(`${section}/new`, async (at) => {
    const client = await at.call(registerClientRoute, {
      body: {
        name: at.form.text('name') ?? '',
        clientId: at.form.text('clientId'),
        type: at.form.text('type') === 'public' ? 'public' : 'confidential',
        redirectUris: linesOf(at.form.text('redirectUris')),
        scopes: scopesOf(at),
      },
    });
    if (client.clientSecret === undefined)
      return redirectTo(at, `${section}/show`, { clientId: client.clientId, notice: 'client-registered' });
    return secretView(at, { ...client, clientSecret: client.clientSecret });
  });

  clientPage(site);
};

const Clients = ({ at, clients }: { at: PageRequest; clients: readonly Client[] }) => (
  <Table
    caption="Clients"
    rows={clients}
    keyOf={({ clientId }) => clientId}
    empty={
      <Empty title="No clients are registered">
        <p>
          Until one is, every platform may exchange codes and refresh tokens. Register each with its redirect URIs, here
          or with:
        </p>
        <Copyable
          text={at.commands.cli(
            'clients add --name Zapier --redirect-uri https://zapier.com/dashboard/auth/oauth/return/App123/',
          )}
        />
      </Empty>
    }
    columns={[
      { head: 'Name', cell: ({ name, clientId }) => <a href={at.url(`${section}/show`, { clientId })}>{name}</a> },
      { head: 'Client ID', cell: ({ clientId }) => <code>{clientId}</code> },
      { head: 'Type', cell: ({ type }) => type },
      { head: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
      { head: 'Secrets', numeric: true, cell: ({ secrets }) => secrets.length },
      { head: 'Registered', cell: ({ registeredAt }) => <Time at={registeredAt} /> },
    ]}
  />
);
