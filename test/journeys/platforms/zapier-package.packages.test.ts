import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ownEnvironment } from '../../support/own-environment.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { zapierFolder } from '../../support/zapier/integration.js';

/** A copy outside of this repository, with the packages of its own lock file only. */
function copyOfPackage(): string {
  const folder = join(temporaryDirectory(), 'our-zapier-app');
  const isOwn = (source: string) => !source.startsWith(join(zapierFolder, 'node_modules'));
  cpSync(zapierFolder, folder, { recursive: true, filter: isOwn });
  symlinkSync(join(zapierFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs what `zapier-platform validate` runs in the folder before it asks Zapier's servers. Returns the errors that it would print. */
async function validate(folder: string): Promise<readonly { property: string; message: string }[]> {
  const program = `require('zapier-platform-core').createAppHandler(require('./index.js'))({ command: 'validate', calledFromCli: true })
    .then(({ results }) => console.log(JSON.stringify(results)))`;
  const options = { cwd: folder, env: ownEnvironment() };
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program], options);
  return JSON.parse(stdout) as readonly { property: string; message: string }[];
}

describe('the package of the Zapier integration', () => {
  it('is valid by Zapier’s schema when it is copied', async () => {
    expect(await validate(copyOfPackage())).to.deep.equal([]);
  });

  it('would not be valid with a mistake', async () => {
    const folder = copyOfPackage();
    const file = join(folder, 'triggers/flow-event.js');
    writeFileSync(file, readFileSync(file, 'utf8').replace("noun: 'Flow Event'", 'noun: 7'));
    const errors = await validate(folder);
    expect(errors.map(({ property }) => property)).to.include('instance.triggers.flow_event.noun');
  });

  it('has tests that pass in the copy, of each trigger, search and action and of the authentication', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap'], {
      cwd: copyOfPackage(),
      env: ownEnvironment(),
    });
    expect(stdout).to.match(/^# fail 0$/m);
    const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    expect(passed).to.be.at.least(10);
    for (const part of [
      'authentication',
      'trigger New Flow Event',
      'search Find Flow Event',
      'action Publish Flow Event',
    ])
      expect(stdout).to.match(new RegExp(`ok \\d+ - (the )?${part}$`, 'm'));
  });

  it('reads three values of its environment, those of .env.example', () => {
    const names = readdirSync(zapierFolder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.js') && !name.startsWith('node_modules'),
    );
    const sources = names.map((name) => readFileSync(join(zapierFolder, name), 'utf8')).join('\n');
    const read = [...sources.matchAll(/process\.env\.(\w+)|\{([^{}]*)\} = process\.env;/g)].flatMap(
      ([, name, destructured = '']) => (name ? [name] : [...destructured.matchAll(/[A-Z_]{2,}/g)].map(String)),
    );
    const example = readFileSync(join(zapierFolder, '.env.example'), 'utf8');
    const documented = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(documented).to.have.members(['FLOW_HOOKS_URL', 'CLIENT_ID', 'CLIENT_SECRET']);
    expect([...new Set(read)]).to.have.members(documented);
  });
});
