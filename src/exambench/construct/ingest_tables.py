TABLES=frozenset({'.csv'}); KEY_TABLES=frozenset({'.csv'})
def read_key_table(p): raise NotImplementedError
def read_table_paper(p): raise NotImplementedError
