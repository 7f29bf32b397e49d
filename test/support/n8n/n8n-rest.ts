import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../until.js';

export type N8nNode = {
  name: string;
  type: string;
  /** Names for each output of the nodes behind it; the next node of the list unless given. */
  outputs?: readonly (readonly string[])[];
} & Readonly<Record<string, unknown>>;
export type Workflow = { id: string; versionId: string };
export type Execution = { id: string; status: string; output: readonly unknown[] };

const owner = { email: 'ada@acme.example', firstName: 'Ada', lastName: 'L', password: 'Correct-horse-1' };

/** The owner of an n8n, through the REST API that its editor uses. */
export async function ownerOf(origin: string) {
  let cookie = '';

  async function ask<Answer>(method: string, path: string, json?: unknown): Promise<Answer> {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { cookie, ...(json !== undefined && { 'content-type': 'application/json' }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    expect(answer.status, `${method} ${path}: ${text}`).to.be.within(200, 299);
    cookie =
      answer.headers
        .getSetCookie()
        .find((each) => each.startsWith('n8n-auth='))
        ?.split(';')[0] ?? cookie;
    return (text.startsWith('{') ? (JSON.parse(text) as { data: Answer }).data : text) as Answer;
  }

  const { showSetupOnFirstLoad } = (
    await ask<{ userManagement: { showSetupOnFirstLoad: boolean } }>('GET', '/rest/settings')
  ).userManagement;
  if (showSetupOnFirstLoad) await ask('POST', '/rest/owner/setup', owner);
  else await ask('POST', '/rest/login', { emailOrLdapLoginId: owner.email, password: owner.password });

  /** The items that the last node of an execution gave. */
  async function executionOf(id: string, status: string): Promise<Execution> {
    const { data } = await ask<{ data: string }>('GET', `/rest/executions/${id}`);
    const { resultData } = unflattened(data) as {
      resultData: { lastNodeExecuted: string; runData: Record<string, Run[]> };
    };
    const run = resultData.runData[resultData.lastNodeExecuted]?.at(-1);
    return { id, status, output: (run?.data?.main?.[0] ?? []).map(({ json }) => json) };
  }

  /** n8n activates and deactivates workflows in the background. */
  async function settled(id: string): Promise<Publication> {
    let publication: Publication = { status: 'in_progress', triggers: [] };
    await until(
      async () => {
        publication = await ask('GET', `/rest/workflows/${id}/publication-status`);
        return publication.status !== 'in_progress';
      },
      'the publication',
      { everyMs: 50 },
    );
    return publication;
  }

  return {
    ask,

    /** Stores a credential, and returns how nodes name it. */
    async credential(type: string, data: object): Promise<{ id: string; name: string }> {
      const { id, name } = await ask<{ id: string; name: string }>('POST', '/rest/credentials', {
        name: `${type} ${randomUUID()}`,
        type,
        data,
      });
      return { id, name };
    },

    /** Tests as the editor does when a credential is saved. `id`: of a stored one, else empty. */
    testCredential: (id: string, type: string, data: object) =>
      ask<{ status: string; message: string }>('POST', '/rest/credentials/test', {
        credentials: { id, name: 'test', type, data },
      }),

    /** Stores a workflow. Its nodes follow each other unless they name others. */
    async workflow(...nodes: readonly N8nNode[]): Promise<Workflow> {
      const placed = nodes.map(({ outputs: _, ...node }, index) => ({
        id: randomUUID(),
        typeVersion: 1,
        position: [200 * index, 0],
        parameters: {},
        ...node,
      }));
      const connections = Object.fromEntries(
        nodes.map(({ name, outputs }, index) => {
          const next = nodes[index + 1];
          const followers = outputs ?? (next ? [[next.name]] : []);
          return [name, { main: followers.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))) }];
        }),
      );
      const settings = { executionOrder: 'v1' };
      return ask('POST', '/rest/workflows', {
        name: randomUUID(),
        nodes: placed,
        connections,
        settings,
        active: false,
      });
    },

    /** Runs as the button *Execute workflow* of the editor, for a workflow that waits for a webhook. */
    listenForTestEvent: ({ id }: Workflow, triggerName: string) =>
      ask<{ waitingForWebhook?: boolean }>('POST', `/rest/workflows/${id}/run`, {
        triggerToStartFrom: { name: triggerName },
      }),

    /** Resolves as soon as its triggers are in force. Rejects with their errors. */
    async activate({ id, versionId }: Workflow): Promise<void> {
      await ask('POST', `/rest/workflows/${id}/activate`, { versionId });
      const { status, triggers } = await settled(id);
      if (status !== 'published') throw new Error(triggers.map(({ errorMessage }) => errorMessage).join());
    },

    /** Resolves as soon as its triggers are removed. */
    async deactivate({ id }: Workflow): Promise<void> {
      await ask('POST', `/rest/workflows/${id}/deactivate`, {});
      await settled(id);
    },

    /** The executions of a workflow that have ended, the first one first, once there are at least `count`. */
    async executions({ id }: Workflow, count = 0): Promise<readonly Execution[]> {
      let found: readonly { id: string; status: string; finished: boolean }[] = [];
      await until(
        async () => {
          const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
          found = (await ask<{ results: typeof found }>('GET', `/rest/executions?filter=${filter}`)).results;
          return found.filter(({ status }) => ['success', 'error', 'crashed'].includes(status)).length >= count;
        },
        `${count} executions`,
        { everyMs: 100 },
      );
      return Promise.all(found.toReversed().map((each) => executionOf(each.id, each.status)));
    },
  };
}

export type N8nOwner = Awaited<ReturnType<typeof ownerOf>>;

type Publication = { status: string; triggers: readonly { errorMessage: string | null }[] };

type Run = { data?: { main?: readonly (readonly { json: unknown }[])[] } };

/** Reads the format of the package `flatted`, in which n8n stores executions: a list of values, which name others by index. */
function unflattened(text: string): unknown {
  const values = JSON.parse(text) as unknown[];
  const resolved = new Map<number, unknown>();
  const valueAt = (index: number): unknown => {
    if (resolved.has(index)) return resolved.get(index);
    const value = values[index];
    if (typeof value !== 'object' || value === null) return value;
    const result: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
    resolved.set(index, result);
    for (const [name, each] of Object.entries(value)) {
      (result as Record<string, unknown>)[name] = typeof each === 'string' ? valueAt(Number(each)) : each;
    }
    return result;
  };
  return valueAt(0);
}
