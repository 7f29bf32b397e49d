import { expect } from 'chai';
import { Command } from 'commander';
import { subject } from '../../../src/cli/route-command.js';
import { addCommands } from '../../../src/cli/subjects/keys.js';

describe('the commands for keys', () => {
  it('retire a key whose thumbprint begins with a hyphen', async () => {
    const commands = new Command('keys');
    addCommands(subject(commands));
    const retire = commands.commands.find((command) => command.name() === 'retire');
    let named: unknown;
    retire?.action((_, key: unknown) => {
      named = key;
    });
    for (const thumbprint of ['-Xb9', '--b9', '-hb9']) {
      await commands.parseAsync(['retire', 'signing', thumbprint], { from: 'user' });
      expect(named).to.equal(thumbprint);
    }
  });
});
