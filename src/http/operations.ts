import { changeSettings } from "./operations/change-settings.ts";
import { changeWebhook } from "./operations/change-webhook.ts";
import { completeNode, uncompleteNode } from "./operations/complete-node.ts";
import { createKey } from "./operations/create-key.ts";
import { createNode } from "./operations/create-node.ts";
import { createWebhook } from "./operations/create-webhook.ts";
import { deleteNode } from "./operations/delete-node.ts";
import { batchOperations } from "./operations/do-batch.ts";
import { editDocument } from "./operations/edit-doc.ts";
import { endSession, endSessions } from "./operations/end-sessions.ts";
import { exportNodes } from "./operations/export-nodes.ts";
import { followChanges } from "./operations/follow-changes.ts";
import { getSettings } from "./operations/get-settings.ts";
import { listBacklinks } from "./operations/list-backlinks.ts";
import { listChanges } from "./operations/list-changes.ts";
import { listKeys } from "./operations/list-keys.ts";
import { listNodes } from "./operations/list-nodes.ts";
import { listSessions } from "./operations/list-sessions.ts";
import { listTargets } from "./operations/list-targets.ts";
import { mirrorNode, removeMirror } from "./operations/mirror-node.ts";
import { moveNode } from "./operations/move-node.ts";
import { readDoc } from "./operations/read-doc.ts";
import { readTree } from "./operations/read-tree.ts";
import { listWebhooks, retrieveWebhook } from "./operations/read-webhooks.ts";
import { removeTarget } from "./operations/remove-target.ts";
import { removeWebhook } from "./operations/remove-webhook.ts";
import { retrieveNode } from "./operations/retrieve-node.ts";
import { revokeKey } from "./operations/revoke-key.ts";
import { searchNodes } from "./operations/search-nodes.ts";
import { setTarget } from "./operations/set-target.ts";
import { testWebhook } from "./operations/test-webhook.ts";
import { updateNode } from "./operations/update-node.ts";
import type { Operation } from "./operation.ts";

/** Every operation of the API, in the order of its documentation. */
export const OPERATIONS: readonly Operation[] = [
  createNode,
  listNodes,
  retrieveNode,
  readTree,
  listBacklinks,
  updateNode,
  deleteNode,
  moveNode,
  mirrorNode,
  removeMirror,
  completeNode,
  uncompleteNode,
  batchOperations,
  exportNodes,
  searchNodes,
  listChanges,
  followChanges,
  readDoc,
  editDocument,
  listTargets,
  setTarget,
  removeTarget,
  getSettings,
  changeSettings,
  listKeys,
  createKey,
  revokeKey,
  listSessions,
  endSession,
  endSessions,
  createWebhook,
  listWebhooks,
  retrieveWebhook,
  changeWebhook,
  testWebhook,
  removeWebhook,
];
