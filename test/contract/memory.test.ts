import { accountStoreContract } from "./account-store-contract.ts";
import { outlineLogContract } from "./outline-log-contract.ts";
import { memoryDriver } from "./store-driver.ts";

outlineLogContract(memoryDriver);
accountStoreContract(memoryDriver);
