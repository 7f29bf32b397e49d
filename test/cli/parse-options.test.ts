import { expect } from 'chai';
import type { Command } from 'commander';
import { projections } from '../../projections/index.js';
import { describeFailure } from '../../src/cli/failure.js';
import { flowHooks } from '../../src/cli/program.js';
import { viewNames } from '../../src/cli/views/names.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

type Path = readonly Command[];

const leavesOf = (path: Path): readonly Path[] => {
  const commands = path.at(-1)?.commands ?? [];
  return commands.length === 0 ? [path] : commands.flatMap((command) => leavesOf([...path, command]));
};

const leaves = (await flowHooks({})).commands.flatMap((command) => leavesOf([command]));
const nameOf = (path: Path): string => path.map((command) => command.name()).join(' ');
const optionOf = (path: Path, long: string) => path.at(-1)?.options.find((option) => option.long === long);
const taking = (long: string): readonly Path[] => leaves.filter((path) => optionOf(path, long));

/** Refusal of a command with all required values, and this one for one of its options. */
async function refusalOf(path: Path, long: string, value: string) {
  const { registeredArguments = [], options = [] } = path.at(-1) ?? {};
  const others = options.filter((option) => option.mandatory && option.long !== long);
  const args = [
    ...['--data-dir', temporaryDirectory(), ...path.map((command) => command.name())],
    ...registeredArguments.filter(({ required }) => required).map(() => 'x'),
    ...others.flatMap((option) => [option.long ?? '', option.argChoices?.[0] ?? 'x']),
    ...(optionOf(path, '--all') ? ['--all'] : []), // or else it names nothing to work on
    ...(optionOf(path, '--hook-url') ? ['--hook-url', 'https://hooks.example.com'] : []),
    ...(optionOf(path, '--forward-to') ? ['--forward-to', 'http://127.0.0.1:1'] : []),
    ...[long, value],
  ];
  return describeFailure(await rejection((await flowHooks({})).parseAsync(args, { from: 'user' })));
}

describe('the options of commands', () => {
  it('are checked in every command that names an organisation', async () => {
    expect(taking('--org').map(nameOf)).to.include.members(['flows publish', 'deliveries list', 'tasks show']);
    for (const path of taking('--org')) {
      const { line, exitCode } = await refusalOf(path, '--org', 'a\nb');
      expect(line, nameOf(path)).to.include('--org must be 1 to 256 printable characters');
      expect(exitCode, nameOf(path)).to.equal(2);
    }
  });

  it('are checked in every command that names a listener', async () => {
    expect(taking('--listener').map(nameOf)).to.include.members(['flows explain', 'deliveries stats', 'audit history']);
    for (const path of taking('--listener')) {
      const { line, exitCode } = await refusalOf(path, '--listener', 'x');
      expect(line, nameOf(path)).to.include('--listener must be the ID of a listener');
      expect(exitCode, nameOf(path)).to.equal(2);
    }
  });
});

describe('the help of projections', () => {
  it('names the views that there are', () =>
    expect(viewNames).to.equal(projections.map(({ name }) => name).join(', ')));
});
