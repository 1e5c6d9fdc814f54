import { accountStoreContract } from "./account-store-contract.ts";
import { outlineLogContract } from "./outline-log-contract.ts";
import { levelDriver } from "./store-driver.ts";
import { webhookStoreContract } from "./webhook-store-contract.ts";

outlineLogContract(levelDriver);
accountStoreContract(levelDriver);
webhookStoreContract(levelDriver);
