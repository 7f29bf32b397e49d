import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Command } from 'commander';
import { z } from 'zod';
import { adminRoutesOf } from '../../src/admin/api/routing/admin-route.js';
import { type Given, subject } from '../../src/cli/route-command.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const changeThing = adminRoutesOf('listeners')('changeThing', 'post', '/things/:thingId', {
  summary: 'Change a thing',
  params: { thingId: z.string().describe('The ID of a thing.') },
  body: {
    orgId: z.string().describe('The organisation.'),
    ordered: z.boolean().optional(),
    urgent: z.boolean().default(false),
    ratePerSecond: z.number().nullable().optional().describe('Maximum per second; null: no limit.'),
    hours: z.int().default(24),
    state: z.enum(['active', 'paused']).optional(),
    scopes: z.array(z.enum(['read', 'write'])).optional(),
    filter: z.unknown().optional().describe('Conditions on `data`. Without it all.'),
    after: z.string().optional(),
  },
  answer: { schema: z.strictObject({}), example: {} },
  access: { role: 'operator', organisation: 'body' },
});

/** The command of the route, and the fields that it was given. */
function givenCommand() {
  const commands = new Command('things').exitOverride().configureOutput({ writeErr: () => undefined });
  const given: Given[] = [];
  const { add } = subject(commands);
  add('change', changeThing, { about: 'changes a thing', runs: async (fields) => void given.push(fields) });
  const [command = commands] = commands.commands;
  command.copyInheritedSettings(commands);
  const run = async (...args: string[]) => {
    await commands.parseAsync(['change', 'a', '--org', 'acme', ...args], { from: 'user' });
    return given.at(-1);
  };
  return { command, run };
}

describe('a command that is derived from a route', () => {
  const { command, run } = givenCommand();
  const helpOf = (long: string) => command.options.find((option) => option.long === long)?.description;

  it('has an argument for each parameter of the path, and an option for each field but those of pages', () => {
    expect(command.registeredArguments.map((each) => each.name())).to.deep.equal(['thing']);
    expect(command.options.map(({ flags }) => flags)).to.deep.equal([
      '--org <organisation>',
      '--ordered',
      '--no-ordered',
      '--urgent',
      '--rate <number>',
      '--hours <number>',
      '--state <state>',
      '--scope <scope...>',
      '--filter <json>',
    ]);
  });

  it('describes options by the contract, as help does', () => {
    expect(command.registeredArguments[0]?.description).to.equal('the ID of a thing');
    expect(helpOf('--rate')).to.equal('maximum per second; none: no limit');
    expect(helpOf('--hours')).to.include('without it 24');
    expect(helpOf('--filter')).to.equal('conditions on data; without it all; @file reads a file, - standard input');
  });

  it('requires what the route requires, and accepts only values of an enumeration', async () => {
    expect(command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long)).to.deep.equal(['--org']);
    expect(await run('--state', 'paused', '--scope', 'read', 'write')).to.deep.include({
      state: 'paused',
      scopes: ['read', 'write'],
    });
    const refused = await run('--state', 'gone').catch(({ code }: { code: string }) => code);
    expect(refused).to.equal('commander.invalidArgument');
  });

  it('gives flags, numbers and JSON by the types of the fields', async () => {
    expect(await run()).to.deep.equal({ thingId: 'a', orgId: 'acme' });
    expect(await run('--no-ordered', '--urgent', '--rate', '0.5')).to.deep.include({
      ordered: false,
      urgent: true,
      ratePerSecond: 0.5,
    });
    expect(await run('--rate', 'none')).to.deep.include({ ratePerSecond: null });
    expect(await run('--rate', ' ')).to.deep.include({ ratePerSecond: Number.NaN });
    const file = join(temporaryDirectory(), 'filter.json');
    writeFileSync(file, '{"data.total":1}');
    for (const filter of ['{"data.total":1}', `@${file}`])
      expect(await run('--filter', filter)).to.deep.include({ filter: { 'data.total': 1 } });
  });

  it('names the option whose JSON cannot be read', async () => {
    const messageOf = (filter: string) => run('--filter', filter).catch(({ message }: Error) => message);
    expect(await messageOf('{')).to.match(/^--filter is not JSON: /);
    expect(await messageOf('@/nowhere')).to.match(/^--filter cannot be read: ENOENT/);
  });
});
