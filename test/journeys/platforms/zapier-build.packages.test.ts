import { expect } from 'chai';
import { documentedUser } from '../../support/documented-login-page.js';
import { installNpmPackages } from '../../support/install-npm-packages.js';
import { unzippedBuild, zapierCli } from '../../support/zapier/built-zip.js';
import { loadIntegration } from '../../support/zapier/integration.js';
import { openZapierPlace, type ZapierPlace } from '../../support/zapier/production.js';

const what = 'the zip of the Zapier integration';

/** Installed at the first run: 190 MB. */
const cliFolder = installNpmPackages(zapierCli.name, zapierCli.packages);
describe(what, function () {
  this.timeout(180_000);
  let place: ZapierPlace | undefined;
  after(() => place?.stop());

  it('is built by Zapier’s command line, and contains all that connections and Zaps need', async () => {
    const integration = loadIntegration(await unzippedBuild(cliFolder));
    place = await openZapierPlace({}, integration);
    const connection = await place.zapier.connect(documentedUser);
    const zap = await connection.turnOn({ subscriptionType: 'order.*', filter: '{"data.total": {"$gt": 40}}' });
    await place.publish({ type: 'order.paid', id: 'small', data: { total: 40 } });
    await place.publish({ type: 'order.paid', id: 'large', data: { total: 41 } });
    expect((await zap.triggeredBy(1)).map(({ id }) => id)).to.deep.equal(['large']);
    await zap.turnOff();
  });
});
