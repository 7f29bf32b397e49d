import { expect } from 'chai';
import { runCliForJson } from '../../support/service/cli.js';
import { directoryWithListeners, interruptedCli } from '../../support/service/interrupted-command.js';

describe('flow-hooks views rebuild', function () {
  this.timeout(120_000);

  it('stops at a signal with a message, and is continued by the next command', async () => {
    const directory = await directoryWithListeners(20_000);
    const rebuildListeners = ['views', 'rebuild', 'listeners'];
    const { code, stderr } = await interruptedCli(directory, rebuildListeners, 'SIGTERM');
    expect(code).to.be.oneOf([1, 0]);
    expect(stderr).to.match(code === 1 ? /listeners was stopped: the same command continues it"?}?$/m : /^$/);
    const rebuilt = (await runCliForJson(directory, ...rebuildListeners)).at(-1);
    expect(rebuilt).to.include({ resumed: code === 1 });
  });
});
