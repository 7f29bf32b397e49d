import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { directoryWithListeners, interruptedCli } from '../support/service/interrupted-command.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('flow-hooks audit verify', function () {
  this.timeout(120_000);

  it('leaves nothing in the temporary directory where a signal ends it', async () => {
    const temporary = temporaryDirectory();
    const place = { DATA_DIR: await directoryWithListeners(10_000), TMPDIR: temporary };
    const hasScratch = () => readdirSync(temporary, { recursive: true }).length > 1; // a directory, and files in it
    const { signal } = await interruptedCli(place, ['audit', 'verify'], 'SIGINT', hasScratch);
    expect(signal).to.equal('SIGINT');
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});
