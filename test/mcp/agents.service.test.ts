import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { publish, signIn, type Tokens } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

describe('an agent of a member of an organisation', function () {
  this.timeout(120_000);
  let service: ServiceProcess;

  afterEach(() => service.stop());

  async function connect(token: string): Promise<Client> {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { requestInit }));
    return client;
  }

  it('finds a flow event of it in development mode, and nothing any more once the session is revoked', async () => {
    service = await startService();
    const { access_token, refresh_token }: Tokens = await signIn(service);
    const id = await publish(service, { orgId: 'acme', type: 'order.paid', data: { total: 42 } });
    const client = await connect(access_token);
    await until(async () => {
      const { structuredContent } = await client.callTool({ name: 'find_events', arguments: { find: id } });
      return (structuredContent as { items: object[] }).items.length === 1;
    }, 'the flow event to be found');
    await service.fetch('/revoke', { form: { token: refresh_token } });
    const refused = await client.callTool({ name: 'find_events', arguments: {} }).catch((error: Error) => error);
    expect(refused).to.be.instanceOf(Error);
    await client.close();
  });

  it('finds no endpoint where it is off', async () => {
    service = await startService({ environment: { MCP: 'off' } });
    expect(await service.fetch('/mcp', { json: {} })).to.deep.nested.include({
      status: 404,
      'body.error': 'not_found',
    });
  });
});
