import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig } from '../../src/service/config/config.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { needs } from '../support/run/programs.js';
import { startCluster } from '../support/service/cluster.js';
import { sharedService } from '../support/service/shared-service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const folder = fileURLToPath(new URL('../../../docs/observability/', import.meta.url));
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

type Target = { refId: string; expr: string };
type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: readonly Target[];
};
type Rule = { alert: string; expr: string };

const dashboard = JSON.parse(read('dashboard.json')) as { panels: readonly Panel[] };
const charts = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = charts.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const { groups } = parse(read('alerts.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

const namesIn = (expr: string): readonly string[] => expr.match(/\b(?:flow_hooks|nodejs|process)_\w+/g) ?? [];
const named = new Set([...queries, ...rules].flatMap(({ expr }) => namesIn(expr)));

/** The names of series that a scrape declares: a histogram has three. */
function declared(scrape: string): ReadonlySet<string> {
  const types = [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    ),
  );
}

/** The labels of a metric's queries must exist too, where the metric has samples. */
function labelsOf(scrape: string, name: string): ReadonlySet<string> | undefined {
  const samples = [...scrape.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? `, 'gm'))];
  if (samples.length === 0) return undefined;
  return new Set(samples.flatMap(([, labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
}

/** Labels that Prometheus adds. */
const added = ['job', 'instance'];

function expectAllToExist(scrape: string): void {
  const existing = declared(scrape);
  expect([...named].filter((name) => !existing.has(name))).to.deep.equal([]);
  for (const { expr } of [...queries, ...rules]) {
    for (const [, name = '', matchers = ''] of expr.matchAll(/\b(\w+)\{([^}]*)\}/g)) {
      const labels = labelsOf(scrape, name);
      const asked = [...matchers.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label = '']) => label);
      const unknown = labels && asked.filter((label) => !added.includes(label) && !labels.has(label));
      expect(unknown ?? [], `${name}{${matchers}}`).to.deep.equal([]);
    }
  }
}

const scrapeOf = async ({ origin }: { origin: string }) => (await fetch(`${origin}/metrics`)).text();

describe('docs/observability', function () {
  this.timeout(120_000);
  let scrape: string;

  before(async () => {
    scrape = await scrapeOf(await sharedService());
  });

  it('names only metrics and labels that a service on its own stores has', () => {
    expect(named.size).to.be.above(25);
    expectAllToExist(scrape);
  });

  it('has a dashboard whose panels have numbers of their own and do not overlap', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(charts.filter(({ targets = [] }) => targets.length === 0)).to.deep.equal([]);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
  });

  it('explains each panel and each alert', () => {
    const readme = read('README.md');
    expect(charts.filter(({ title }) => !readme.includes(`| ${title} |`))).to.deep.equal([]);
    expect(rules.filter(({ alert }) => !readme.includes(`| \`${alert}\` |`))).to.deep.equal([]);
  });

  it('tests that each alert fires', () => {
    const tests = read('alerts.test.yml');
    expect(rules.length).to.be.above(10);
    expect(rules.filter(({ alert }) => !tests.includes(`'{alertname="${alert}"}'`))).to.deep.equal([]);
  });

  it('names the port on which an instance listens by default', () => {
    const ports = [...read('README.md').matchAll(/'[\w-]+:(\d+)'/g)].map(([, port]) => Number(port));
    const { port } = readConfig({}).http;
    expect(ports).to.deep.equal([port, port]);
  });

  if (!needs('prometheus')) return;

  function check(args: readonly string[], input?: string): void {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', cwd: folder, input });
    expect(status, `promtool ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
  }

  it('has alert rules that promtool accepts', () => check(['check', 'rules', 'alerts.yml']));

  it('has alerts that fire when they should, and only then', () => check(['test', 'rules', 'alerts.test.yml']));

  it('has a dashboard whose queries are PromQL', () => {
    const file = join(temporaryDirectory(), 'queries.json'); // JSON is YAML
    const group = queries.map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*'),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules: group }] }));
    check(['check', 'rules', file]);
  });

  it('goes with metrics whose names follow the conventions of Prometheus', () => check(['check', 'metrics'], scrape));
});

onMongoDb('the metrics that docs/observability names', (mongoDb) => {
  it('exist on EventStoreDB and MongoDB too', async () => {
    const cluster = await startCluster(mongoDb);
    try {
      expectAllToExist(await scrapeOf(await cluster.startInstance()));
    } finally {
      await cluster.close();
    }
  });
});
