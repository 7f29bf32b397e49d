import { expect } from 'chai';
import { runCliForJson } from '../../../support/service/cli.js';
import { directoryWithHooks, interruptedCli } from '../../../support/service/interrupted-command.js';

describe('flow-hooks projections rebuild', function () {
  this.timeout(120_000);

  it('stops where a signal asks for it, says so, and is gone on with', async () => {
    const directory = await directoryWithHooks(20_000);
    const rebuildListeners = ['projections', 'rebuild', 'listeners'];
    const { code, stderr } = await interruptedCli(directory, rebuildListeners, 'SIGTERM');
    expect(code).to.be.oneOf([1, 0]);
    expect(stderr).to.match(code === 1 ? /listeners was stopped: the same command goes on with it$/m : /^$/);
    const rebuilt = (await runCliForJson(directory, ...rebuildListeners)).at(-1);
    expect(rebuilt).to.include({ resumed: code === 1 });
  });
});
