import { expect } from 'chai';
import { runCliForJson } from '../../support/service/cli.js';
import { directoryWithListeners, interruptedCli } from '../../support/service/interrupted-command.js';

/** A slow test process may send the signal only when a rebuild is nearly done, or was. */
const maxInterruptions = 10;

describe('flow-hooks views rebuild', function () {
  this.timeout(120_000);

  it('stops at a signal with a message, and is continued by the next command', async () => {
    const directory = await directoryWithListeners(20_000);
    const rebuildListeners = ['views', 'rebuild', 'listeners'];
    async function interruptedAndContinued() {
      const { code, stderr } = await interruptedCli(directory, rebuildListeners, 'SIGTERM');
      const rebuilt = (await runCliForJson(directory, ...rebuildListeners)).at(-1) as { resumed: boolean };
      return { code, stderr, resumed: rebuilt.resumed };
    }
    let last = await interruptedAndContinued();
    for (let number = 1; !last.resumed && number < maxInterruptions; number += 1)
      last = await interruptedAndContinued();
    expect(last).to.include({ resumed: true, code: 1 });
    expect(last.stderr).to.match(/listeners was stopped: the same command continues it"?}?$/m);
  });
});
