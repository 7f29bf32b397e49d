import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const keys = { eve: 'a-key-of-a-viewer', ops: 'a-key-of-an-operator', ada: 'a-key-of-an-owner' };

describe('the roles of admin keys, from outside', function () {
  this.timeout(60_000);
  let service: ServiceProcess;

  before(async () => {
    const file = join(temporaryDirectory(), 'admin-keys.txt');
    writeFileSync(file, `eve:viewer:${keys.eve}\nops:operator:${keys.ops}\nada:${keys.ada}\n`);
    service = await startService({ environment: { ADMIN_KEYS: file } });
  });
  after(() => service.stop());

  const ask = (name: keyof typeof keys, path: string, json?: object) =>
    service.fetch(path, { headers: { authorization: `Bearer ${keys[name]}` }, ...(json && { json }) });
  const statuses = async (path: string, json?: object) => {
    const answers = [await ask('eve', path, json), await ask('ops', path, json), await ask('ada', path, json)];
    return answers.map(({ status }) => status);
  };

  it('let viewers read only, and owners alone erase and manage keys', async () => {
    const orgId = 'acme';
    expect(await statuses('/admin/api/tasks')).to.deep.equal([200, 200, 200]);
    expect(await statuses('/admin/api/audit/history', { orgId })).to.deep.equal([200, 200, 200]);
    expect(await statuses('/admin/api/organisations/settings', { orgId })).to.deep.equal([403, 200, 200]);
    const key = { name: 'erp', orgId, scopes: ['flows:publish'] };
    expect(await statuses('/admin/api/api-keys', key)).to.deep.equal([403, 403, 201]);
    expect(await statuses('/admin/api/organisations/erase', { orgId, confirm: orgId })).to.deep.equal([403, 403, 200]);
    expect(await statuses('/api/flows', { orgId, type: 'flow.done', data: {} })).to.deep.equal([403, 202, 202]);
  });

  it('are named in a refusal, which comes before the body is read', async () => {
    const { body } = await ask('ops', '/admin/api/organisations/erase', { wrong: true });
    expect(body).to.include({ error: 'forbidden', message: 'this route requires an admin key with the role owner' });
  });
});
