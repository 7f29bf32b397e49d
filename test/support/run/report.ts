/** The outcome of a process that ran test files. */
export type TestRun = {
  files: readonly string[];
  /** All that it printed, without the totals. */
  report: string;
  passed: number;
  failed: number;
  skipped: number;
  /** Of each file that has tests. */
  seconds: readonly { file: string; seconds: number }[];
};

const slowestFiles = 20;
const lastLines = 60;

/** The seconds of each file and the totals, as `reporter.cjs` prints them at the end. */
const totals =
  /(?<files>(?: +[\d.]+ s {2}.+\n)*)\n(?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?\n*$/;

/** Reads the output of a process that ran test files. `ended`: its exit code, or the signal that ended it. */
export function readReport(files: readonly string[], printed: string, ended: number | string | null): TestRun {
  const found = totals.exec(printed);
  const { passed = 0, failed = 0, skipped = 0 } = found?.groups ?? {};
  const report = printed.slice(0, found?.index) + (found?.groups?.files ?? '');
  const run = { files, report, passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  const seconds = [...(found?.groups?.files ?? '').matchAll(/ +([\d.]+) s {2}(.+)\n/g)].map(([, taken, file = '']) => ({
    file,
    seconds: Number(taken),
  }));
  if (found && (ended === 0) === (run.failed === 0)) return { ...run, seconds };
  return {
    ...run,
    seconds,
    failed: run.failed + 1,
    report: `${report}\nthe process of these tests ended with ${ended}\n`,
  };
}

/** The failures of a report, under a title. */
export function failureOf({ files, report }: TestRun): string {
  const start = report.search(/^ {2}\d+ failing$/m);
  const failures = start === -1 ? report.trimEnd().split('\n').slice(-lastLines).join('\n') : report.slice(start);
  return `\nFAILED: ${files.length === 1 ? files[0] : `in ${files.length} files that share a process`}\n${failures}`;
}

/** The slowest files, and a last line that a script can read. Tests that did not run are counted in that line. */
export function closingLines(runs: readonly TestRun[]): string {
  const seconds = runs.flatMap((run) => run.seconds).sort((one, other) => other.seconds - one.seconds);
  const sum = (count: (run: TestRun) => number) => runs.reduce((total, run) => total + count(run), 0);
  const skipped = sum((run) => run.skipped);
  const counts = `${sum((run) => run.passed)} passed, ${sum((run) => run.failed)} failed`;
  return [
    `\nthe slowest of ${seconds.length} files:`,
    ...seconds.slice(0, slowestFiles).map((each) => `${each.seconds.toFixed(1).padStart(7)} s  ${each.file}`),
    `\n${counts}${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  ].join('\n');
}
