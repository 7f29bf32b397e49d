import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const depcruise = join(project, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const config = join(project, '.dependency-cruiser.cjs');

type Report = {
  summary: {
    violations: readonly { from: string; rule: { name: string } }[];
  };
};

/** Checks a tree of these files, by path; returns the names of the rules that each file breaks, sorted. */
async function rulesBroken(
  tree: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const directory = temporaryDirectory();
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(join(directory, dirname(path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [depcruise, '--config', config, '--output-type', 'json', 'src', 'projections'],
    { cwd: directory, maxBuffer: 16 * 1_048_576 },
  ).catch((failure) => failure as { stdout: string }); // the exit code is the number of errors
  const { violations } = (JSON.parse(stdout) as Report).summary;
  const files = [...new Set(violations.map(({ from }) => from))];
  const namesOf = (file: string) => violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);
  return Object.fromEntries(files.map((file) => [file, namesOf(file).sort()]));
}

/** The files that the imports below name. */
const targets = {
  'src/kernel/ids.ts': 'export type Id = string;\n',
  'src/events/listener-events.ts':
    "import type { Store } from '../stores/event-store/store.js';\nexport type Listener = Store;\n",
  'src/stores/event-store/store.ts': 'export type Store = object;\nexport const store = {};\n',
  'src/stores/event-store/sqlite/open.ts':
    "import type { Store } from '../store.js';\nexport const open = (): Store => ({});\n",
  'src/stores/mongodb/open.ts': 'export const open = {};\n',
  'src/queue/queue.ts': 'export type Queue = object;\n',
  'projections/views.ts':
    "import type { Listener } from '../src/events/listener-events.js';\nexport type View = Listener;\n",
  'src/service/service.ts':
    "import { open } from '../stores/event-store/sqlite/open.js';\nexport const service = open();\n",
};

describe('the check of the layers', function () {
  this.timeout(60_000);

  it('accepts imports of lower layers, and adapters in the composition', async () => {
    expect(await rulesBroken(targets)).to.deep.equal({});
  });

  it('refuses each import that goes against the layers, types included', async () => {
    const broken = await rulesBroken({
      ...targets,
      'src/kernel/upwards.ts': "import type { Store } from '../stores/event-store/store.js';\nexport type A = Store;\n",
      'src/access/sideways.ts': "export type { Queue } from '../queue/queue.js';\n",
      'src/flows/dynamic.ts': "export const load = () => import('../service/service.js');\n",
      'src/queue/outwards.ts': "import '../deliveries/worker/worker.js';\n",
      'src/deliveries/worker/worker.ts': "import type { Queue } from '../../queue/queue.js';\nexport type W = Queue;\n",
      'src/admin/adapter.ts': "import { open } from '../stores/event-store/sqlite/open.js';\nexport const o = open;\n",
      'src/queue/sqlite/other.ts': "import { open } from '../../stores/mongodb/open.js';\nexport const o = open;\n",
      'src/unknown/module.ts': "import type { Id } from '../kernel/ids.js';\nexport type U = Id;\n",
      'src/http/leftovers.ts': "import './utils/text.js';\n",
      'src/http/utils/text.ts': 'export const text = 1;\n',
      'src/http/missing.ts': "import './not-there.js';\n",
      'projections/impure.ts': "import { randomUUID } from 'node:crypto';\nexport const id = randomUUID;\n",
      'projections/store.ts': "import { store } from '../src/stores/event-store/store.js';\nexport const s = store;\n",
    });
    expect(broken).to.deep.equal({
      'src/kernel/upwards.ts': ['imports-of-kernel'],
      'src/access/sideways.ts': ['imports-of-access'],
      'src/flows/dynamic.ts': ['imports-of-flows'],
      'src/queue/outwards.ts': ['imports-of-queue'],
      'src/admin/adapter.ts': ['adapters-in-the-composition'],
      'src/queue/sqlite/other.ts': ['adapters-know-their-own-technology'],
      'src/unknown/module.ts': ['known-modules'],
      'src/http/leftovers.ts': ['no-collections-of-leftovers'],
      'src/http/missing.ts': ['resolved'],
      'projections/impure.ts': ['pure-projections'],
      'projections/store.ts': ['pure-projections'],
    });
  });

  it('refuses files that import each other, if only a type', async () => {
    const broken = await rulesBroken({
      'src/kernel/one.ts': "import type { Two } from './two.js';\nexport type One = Two;\nexport const one = 1;\n",
      'src/kernel/two.ts': "import { one } from './one.js';\nexport type Two = typeof one;\n",
      'projections/none.ts': 'export const none = 0;\n',
    });
    expect(Object.values(broken).flat()).to.include('no-cycles');
  });
});
