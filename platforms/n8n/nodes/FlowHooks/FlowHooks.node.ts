import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes } from 'n8n-workflow';
import { authentication, credentials } from '../shared/authentication';
import { operations } from './operations';
import { properties } from './properties';

export class FlowHooks implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Flow Hooks',
    name: 'flowHooks',
    icon: { light: 'file:../../icons/flow-hooks.svg', dark: 'file:../../icons/flow-hooks.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description:
      'Publish flow events, list flow events and deliveries, and explain why a listener did or did not get an event',
    defaults: { name: 'Flow Hooks' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials,
    properties: [authentication, ...properties],
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    for (const item of this.getInputData().keys()) {
      try {
        const operation = `${this.getNodeParameter('resource', item)}.${this.getNodeParameter('operation', item)}`;
        const found: IDataObject[] = (await operations[operation]?.(this, item)) ?? [];
        results.push(...found.map((json) => ({ json, pairedItem: { item } })));
      } catch (error) {
        const failure = new NodeApiError(this.getNode(), error as JsonObject); // the same if it is one already
        failure.context.itemIndex = item;
        if (!this.continueOnFail()) throw failure;
        results.push({ json: { error: failure.message }, pairedItem: { item } });
      }
    }
    return [results];
  }
}
