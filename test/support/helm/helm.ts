import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from '../made-once.js';

/** Built with Go, where no `helm` is installed. */
const helmVersion = 'v3.19.0';
/** A helm built with `go install` does not know its version of Kubernetes. */
const kubernetesVersion = '1.33.0';

export const chart = 'deploy/helm/flow-hooks';
/** Rendered with the first values of the chart's examples. */
export const manifestsPath = 'deploy/kubernetes.yaml';

let program: string | undefined;

/** The installed helm, or the one built at the first call, which takes minutes. */
function helmProgram(): string {
  if (spawnSync('helm', ['version']).status === 0) return 'helm';
  const folder = madeOnce(`helm-${helmVersion}`, (making) => {
    console.log(`Building helm ${helmVersion} …`);
    const env = { ...process.env, GOBIN: making };
    execFileSync('go', ['install', `helm.sh/helm/v3/cmd/helm@${helmVersion}`], { env, stdio: 'inherit' });
  });
  return join(folder, 'helm');
}

/** Exit code and output of `helm lint` or `helm template`. */
export function helm(
  command: 'lint' | 'template',
  ...args: readonly string[]
): { code: number | null; output: string; errors: string } {
  program ??= helmProgram();
  const { status, stdout, stderr } = spawnSync(program, [command, ...args, '--kube-version', kubernetesVersion], {
    encoding: 'utf8',
  });
  return { code: status, output: stdout, errors: stderr };
}

export const valuesOf = (name: 'example' | 'everything'): readonly string[] => [
  '--values',
  `${chart}/ci/${name}-values.yaml`,
];

/** Throws helm's message if it refuses the values. */
export function render(...args: readonly string[]): string {
  const { code, output, errors } = helm('template', 'flow-hooks', chart, ...args);
  if (code !== 0) throw new Error(errors);
  return output;
}

/** SHA-256 of all files of the chart: the rendered manifests name it. */
export function chartDigest(): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(chart, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(chart, file);
    if (statSync(path).isFile()) digest.update(`${file}\n`).update(readFileSync(path)).update('\n');
  }
  return digest.digest('hex');
}

/** The content of deploy/kubernetes.yaml. */
export function renderedManifests(): string {
  const documents = render(...valuesOf('example'))
    .replaceAll(/^# Source: .*\n/gm, '')
    .replaceAll(/^ +(app\.kubernetes\.io\/managed-by|helm\.sh\/chart): .*\n/gm, ''); // kubectl applies them
  return `# Rendered from deploy/helm/flow-hooks by \`npm run manifests\`, with the values of its ci/example-values.yaml. Put your image,
# PUBLIC_URL and login into these before you render them, or here (docs/installing.md, "Kubernetes").
# sha256 of the chart: ${chartDigest()}
${documents}`;
}
