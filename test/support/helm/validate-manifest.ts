import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Readonly<Record<string, string>> };
  [field: string]: unknown;
};
type Model = new (manifest: never) => { validate: () => void };

const models: Readonly<Record<string, Model>> = {
  'v1 ConfigMap': core.ConfigMap,
  'v1 Service': core.Service,
  'v1 ServiceAccount': core.ServiceAccount,
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'networking.k8s.io/v1 Ingress': networking.Ingress,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
};

/** Resource of the Prometheus operator, which has no package of schemas here: the fields that the chart sets, as its API names them. */
const serviceMonitor = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('ServiceMonitor'),
  metadata: z.strictObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    endpoints: z.array(
      z.strictObject({ port: z.string(), path: z.string(), interval: z.string().regex(/^\d+(ms|s|m|h)$/) }),
    ),
  }),
});

/** Throws where a schema of Kubernetes refuses the manifest. */
export function validateManifest(manifest: Manifest): void {
  if (manifest.kind === 'ServiceMonitor') return void serviceMonitor.parse(manifest);
  const Model = models[`${manifest.apiVersion} ${manifest.kind}`];
  if (Model === undefined) throw new Error(`no model of ${manifest.apiVersion} ${manifest.kind}`);
  new Model(manifest as never).validate(); // the constructor expects the manifest's own type, which `validate` checks
}

/** Throws the first error of the syntax. */
export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as Manifest;
  });
