import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { Command } from 'commander';
import { completion } from '../../src/cli/completion/completion.js';
import type { CommandContext } from '../../src/cli/context.js';
import { flowHooks } from '../../src/cli/program.js';

const program = await flowHooks({});

async function scriptFor(shell: Parameters<typeof completion>[0]): Promise<string> {
  const lines: string[] = [];
  const output = { json: false, write: (line: string) => lines.push(line) };
  await completion(shell, {}, { output, program } as unknown as CommandContext); // it uses these alone
  return lines.join('\n');
}

const everyCommand = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(everyCommand)];

describe('the options of commands', () => {
  it('have no name of an option of the program, which would take their values', () => {
    const names = (command: Command) => command.options.flatMap(({ long, short }) => [long, short]).filter(Boolean);
    const ofProgram = new Set(names(program));
    for (const command of everyCommand(program).slice(1)) {
      expect(
        names(command).filter((name) => ofProgram.has(name)),
        command.name(),
      ).to.deep.equal([]);
    }
  });
});

describe('the completion of a shell', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    it(`has every command and every option, for ${shell}`, async () => {
      const script = await scriptFor(shell);
      for (const command of everyCommand(program).slice(1)) {
        expect(script).to.include(`${command.parent?.parent ? `${command.parent.name()} ` : ''}${command.name()}'`);
        for (const { long } of command.options)
          expect(script).to.include(shell === 'fish' ? ` -l ${long?.slice(2)}` : long);
      }
    });

  it('offers in bash what may follow: commands, options, and values of an option', async () => {
    const words = [
      ['flow-hooks', 'del'],
      ['flow-hooks', '--json', 'replays', ''],
      ['flow-hooks', 'deliveries', 'list', '--stat'],
      ['flow-hooks', 'deliveries', 'list', '--state', 'h'],
    ];
    const calls = words.map((line) => `t ${line.map((word) => `'${word}'`).join(' ')}`);
    const run = `t() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _flow_hooks; echo "\${COMPREPLY[@]}"; }`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${await scriptFor('bash')}\n${run}\n${calls.join('\n')}`]);
    expect(stderr.toString()).to.equal('');
    const [subject, command, option, value] = stdout.toString().split('\n');
    expect(subject).to.equal('deliveries');
    expect(command).to.match(/^start list show cancel --version /);
    expect({ option, value }).to.eql({ option: '--state', value: 'held' });
  });
});
