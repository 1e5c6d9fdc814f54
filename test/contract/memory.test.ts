import { accountStoreContract } from "./account-store-contract.ts";
import { outlineLogContract } from "./outline-log-contract.ts";
import { memoryDriver } from "./store-driver.ts";
import { webhookStoreContract } from "./webhook-store-contract.ts";

outlineLogContract(memoryDriver);
accountStoreContract(memoryDriver);
webhookStoreContract(memoryDriver);
