import { type SealCalls, sealFileName } from '../../../admin/api/seals.js';
import type { SealCheck, ShownFinding } from '../../../audit/seals/seals.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Card, Facts } from '../../../site/components/card.js';
import { ActionForm, Field, Form, Submit } from '../../../site/components/form.js';
import { Table } from '../../../site/components/table.js';
import { numberText, Time } from '../../../site/components/time.js';
import { Badge, Notice } from '../../../site/components/tone.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { PageView, Site } from '../../../site/page-view.js';
import { uploadedFile } from '../../../site/upload.js';
import { AuditTabs, section } from './audit-parts.js';

/** `/audit/seals`: making a seal of the history, and checking one. */
export function sealPages(site: Site, seals: SealCalls): void {
  site.get(`${section}/seals`, async (at) => ({
    title: 'Audit',
    trail: [],
    lead: 'A seal is a signed digest of the history, with which later changes are found.',
    content: (
      <>
        <AuditTabs at={at} current="/seals" />
        {at.may('operator') ? (
          <Forms at={at} />
        ) : (
          <Notice tone="info">Making and checking seals requires the role operator.</Notice>
        )}
      </>
    ),
  }));

  site.post(`${section}/seals`, async ({ apiCaller, gone }) => {
    const document = await seals.make(apiCaller, gone);
    return { download: { fileName: sealFileName(document), bytes: document.bytes, content: document.content } };
  });

  site.post(`${section}/seals/check`, async (at) => {
    if (!at.upload) throw new InvalidRequest('choose the file of a seal');
    const { content, fields } = await uploadedFile(at.upload);
    const thumbprint = fields.thumbprint?.trim() || undefined;
    try {
      return checkedView(at, await seals.check(at.apiCaller, content, { thumbprint, signal: at.gone }));
    } finally {
      content.destroy(); // a refused one has not been read
    }
  });
}

const Forms = ({ at }: { at: PageRequest }) => (
  <div class="columns">
    <Card title="Make a seal">
      <p>
        It covers every event of listeners, integration tasks, settings, sessions, consents, the portal, API keys, event
        types and of the service, up to now. Keep the file where users who can write the store cannot write.
      </p>
      <p class="muted">
        The whole history is read, at about 50,000 events a second. Use <code>flow-hooks audit seal</code> where a proxy
        does not wait that long.
      </p>
      <ActionForm label="Make a seal" tone="primary" />
    </Card>
    <Card title="Check a seal">
      <Form action={at.url(`${section}/seals/check`)} enctype="multipart/form-data">
        <Field name="thumbprint" label="Thumbprint of the key" hint="Empty: every key on record is trusted" />
        <div class="field">
          <label for="field-seal">File of the seal</label>
          <input id="field-seal" type="file" name="seal" required />
        </div>
        <Submit label="Check" />
      </Form>
    </Card>
  </div>
);

const checkedView = (at: PageRequest, check: SealCheck): PageView => ({
  title: 'Result of the check',
  section,
  trail: [{ href: at.url(`${section}/seals`), text: 'Seals' }],
  content: (
    <>
      {check.matches ? (
        <Notice tone="good">The history matches the seal.</Notice>
      ) : (
        <Notice tone="bad">The history differs from the seal in {numberText(check.differences)} streams.</Notice>
      )}
      <section class="card">
        <Facts
          facts={{
            Sealed: <Time at={check.sealedAt} />,
            Streams: numberText(check.streams),
            Events: numberText(check.events),
            'Streams erased since': numberText(check.erased),
            Key: <code>{check.thumbprint}</code>,
          }}
        />
      </section>
      <Findings findings={check.findings} />
    </>
  ),
});

const Findings = ({ findings }: { findings: readonly ShownFinding[] }) => (
  <Table
    caption="Findings"
    rows={findings}
    keyOf={({ stream }) => stream}
    empty={null}
    columns={{
      Stream: 'stream',
      Finding: ({ kind }) => <Badge tone={kind === 'erased' ? 'neutral' : 'bad'}>{kind}</Badge>,
      Where: { show: (finding) => <Where finding={finding} />, wide: true },
    }}
  />
);

function Where({ finding: { from, to, at, by } }: { finding: ShownFinding }) {
  if (at !== null) {
    return (
      <>
        <Time at={at} />
        {by !== null && ` by ${by}`}
      </>
    );
  }
  return <>{from === to ? `revision ${from}` : `first at one of the revisions ${from} to ${to}`}</>;
}
