import { replicaStoreContract } from "../../../contract/replica-store-contract.ts";
import { indexedDbDriver } from "./indexeddb-driver.ts";

replicaStoreContract(indexedDbDriver);
