import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { startProcess } from '../process.js';
import { needs } from '../run/programs.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { until } from '../until.js';

type Sample = { metric: Readonly<Record<string, string>>; value: readonly [number, string] };

export type Prometheus = {
  query: (expression: string) => Promise<readonly Sample[]>;
  /** Resolves when the alert fires. */
  fires: (alert: string) => Promise<void>;
  /** Resolves when the alert fires no longer. */
  resolves: (alert: string) => Promise<void>;
  stop: () => Promise<unknown>;
};

const alerts = new URL('../../../../docs/observability/alerts.yml', import.meta.url);
const seconds = { s: 1, m: 60, h: 3_600 };

/** Shortens the time that a condition has to hold (`for`) further than ranges: these tests assert that an alert fires, not when. */
const shorterWaits = 5;

/** The alert rules in a time that passes faster by this factor: their ranges, their waiting times, and thresholds from 10 s on. */
const fasterAlerts = (factor: number): string =>
  readFileSync(alerts, 'utf8')
    .replaceAll(/(for: )?\b(\d+)([smh])\b/g, (_, waiting = '', count: string, unit: keyof typeof seconds) => {
      const ms = (Number(count) * seconds[unit] * 1_000) / factor;
      return `${waiting}${Math.ceil(waiting === '' ? ms : ms / shorterWaits)}ms`;
    })
    .replaceAll(/> (\d{2,})$/gm, (_, threshold: string) => `> ${Number(threshold) / factor}`);

/** Starts Debian's Prometheus on a service, with the alert rules made faster. `scrapeMs`: also how often rules are evaluated. */
export async function startPrometheus(
  target: string,
  { factor, scrapeMs }: { factor: number; scrapeMs: number },
): Promise<Prometheus> {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'alerts.yml'), fasterAlerts(factor));
  const every = `${scrapeMs}ms`;
  const configuration = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['alerts.yml'],
    scrape_configs: [{ job_name: 'flow-hooks', static_configs: [{ targets: [target] }] }],
  };
  const file = join(directory, 'prometheus.yml');
  writeFileSync(file, stringify(configuration));
  const address = `127.0.0.1:${await reusablePort()}`;
  const settings = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${directory}/data`,
    `--web.listen-address=${address}`,
  ];
  const server = startProcess('prometheus', [...settings, '--log.level=error']);

  async function query(expression: string): Promise<readonly Sample[]> {
    const answer = await fetch(`http://${address}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const { data, error } = (await answer.json()) as { data?: { result: readonly Sample[] }; error?: string };
    if (!data) throw new Error(`${expression}: ${error}`);
    return data.result;
  }
  const isFiring = async (alert: string) =>
    (await query(`ALERTS{alertname="${alert}", alertstate="firing"}`)).length > 0;
  const waiting = { limitMs: 120_000, everyMs: 200 };
  const isUp = () =>
    query('up')
      .then(({ length }) => length > 0)
      .catch(() => false);
  await until(isUp, 'Prometheus', waiting);
  return {
    query,
    fires: (alert) => until(() => isFiring(alert), `${alert} to fire`, waiting),
    resolves: (alert) => until(async () => !(await isFiring(alert)), `${alert} to be resolved`, waiting),
    stop: server.stop,
  };
}

/** Does something again and again until the alert fires. */
export async function untilFires(prometheus: Prometheus, alert: string, work: () => Promise<unknown>): Promise<void> {
  let fired = false;
  const firing = prometheus.fires(alert).finally(() => {
    fired = true;
  });
  while (!fired) {
    await work();
    await pause(300);
  }
  await firing;
}

/** Defines tests that need Prometheus. */
export function onPrometheus(tests: () => void): void {
  if (needs('prometheus')) tests();
}
